package projection

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/exam/lti"
	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/translog"
)

// BatchSize is how many outbox rows a batch takes: enough for set-based statements to pay
// off, few enough for the locks to be held briefly.
const BatchSize = 1000

// outboxRow says that one subject needs a look. kind 'submission' means the submission and its
// session, 'session' only the session, 'finding' a finding, 'assignment' an assignment, 'key' a
// remediation that sets a key, 'readiness' only the readiness of a submission, 'policy' the readiness
// of all submissions of a verification level, 'terms' that skill rules may match other questions,
// 'member' the groups of a person, and 'levels' the levels of a skill.
type outboxRow struct {
	ID      int64
	Kind    string
	Subject ids.ID
}

// The limit is a sub-select so that the planner does not compare it with the rows that it expects, which are few without
// statistics: for a limit above that it would read and sort all waiting rows.
const takeFromOutboxSQL = `
select id, kind, subject_id from projection_outbox
where tenant_id = $1 and (not_before is null or not_before <= $2)
order by id limit (select $3::int)
for update skip locked`

const emptyOutboxSQL = `
delete from projection_outbox where tenant_id = $1 and ctid = any(array(
	select o.ctid from unnest($2::bigint[]) n (id)
	cross join lateral (select ctid from projection_outbox where tenant_id = $1 and id = n.id offset 0) o))`

// ProjectBatch projects the subjects of up to limit outbox rows of the tenant and deletes
// the rows. It gives the number of rows taken: 0 when nothing waits, when other workers
// hold all of it, or while the tenant is being rebuilt.
func ProjectBatch(ctx context.Context, tx *db.Tx, limit int) (int, error) {
	taken, err := takeFromOutbox(ctx, tx, limit)
	if err != nil {
		return 0, err
	}
	return len(taken), projectRows(ctx, tx, taken)
}

func takeFromOutbox(ctx context.Context, tx *db.Tx, limit int) ([]outboxRow, error) {
	free, err := shareProjection(ctx, tx)
	if err != nil || !free {
		return nil, err
	}
	rows, err := tx.Query(ctx, takeFromOutboxSQL, tx.Tenant(), tx.Now(), limit)
	if err != nil {
		return nil, fmt.Errorf("take from outbox: %w", err)
	}
	taken, err := pgx.CollectRows(rows, pgx.RowToStructByPos[outboxRow])
	if err != nil {
		return nil, fmt.Errorf("take from outbox: %w", err)
	}
	return taken, nil
}

// putOff postpones a subject that failed: by 2 seconds, then twice as long each time, an hour at most.
func putOff(ctx context.Context, tx *db.Tx, id int64) error {
	_, err := tx.Exec(ctx, `
		update projection_outbox set failures = failures + 1,
			not_before = later_by($3, least(power(2, least(failures + 1, 12)), 3600))
		where tenant_id = $1 and id = $2`, tx.Tenant(), id, tx.Now())
	if err != nil {
		return fmt.Errorf("put off subject: %w", err)
	}
	return nil
}

func projectRows(ctx context.Context, tx *db.Tx, taken []outboxRow) error {
	if len(taken) == 0 {
		return nil
	}
	var done []int64
	var s subjects
	var findings, levels []ids.ID
	var marks skillMarks
	rematch := false
	for _, row := range taken {
		done = append(done, row.ID)
		switch row.Kind {
		case models.OutboxFinding:
			findings = append(findings, row.Subject)
			continue
		case models.OutboxAssignment:
			s.assignments = append(s.assignments, row.Subject)
			continue
		case models.OutboxKey:
			s.remediations = append(s.remediations, row.Subject)
			continue
		case models.OutboxReadiness:
			s.standing = append(s.standing, row.Subject)
			continue
		case models.OutboxPolicy:
			levels = append(levels, row.Subject)
			continue
		case models.OutboxTerms:
			rematch = true
			continue
		case models.OutboxMember:
			marks.users = append(marks.users, row.Subject)
			continue
		case models.OutboxLevels:
			marks.levels = append(marks.levels, row.Subject)
			continue
		}
		s.sessions = append(s.sessions, row.Subject)
		if row.Kind == models.OutboxSubmission {
			s.submissions = append(s.submissions, row.Subject)
			s.standing = append(s.standing, row.Subject)
		}
	}
	s = s.sorted()
	affected, err := projectSubjects(ctx, tx, s)
	if err != nil {
		return err
	}
	err = deriveQuestions(ctx, tx, affected.questions)
	if err != nil {
		return err
	}
	if len(findings) > 0 {
		err = applyFindings(ctx, tx, findings)
		if err != nil {
			return err
		}
	}
	err = translog.TakeUp(ctx, tx, s.submissions)
	if err != nil {
		return err
	}
	err = remediation.TakeUp(ctx, tx, s.submissions)
	if err != nil {
		return err
	}
	err = lti.TakeUp(ctx, tx, s.submissions)
	if err != nil {
		return err
	}
	err = refreshExceptions(ctx, tx, s.standing, false)
	if err != nil {
		return err
	}
	err = askLevels(ctx, tx, levels)
	if err != nil {
		return err
	}
	err = askRematch(ctx, tx, rematch)
	if err != nil {
		return err
	}
	marks.figures = affected.skills
	err = marks.apply(ctx, tx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, emptyOutboxSQL, tx.Tenant(), done)
	if err != nil {
		return fmt.Errorf("empty outbox: %w", err)
	}
	return nil
}

// subjects are what one batch looks at. The sessions include the sessions of the submissions, and
// standing includes the submissions themselves.
type subjects struct {
	submissions, sessions, assignments, remediations, standing []ids.ID
}

// sorted drops repetitions: a subject is projected once a batch.
func (s subjects) sorted() subjects {
	return subjects{submissions: sortedIDs(s.submissions), sessions: sortedIDs(s.sessions), assignments: sortedIDs(s.assignments),
		remediations: sortedIDs(s.remediations), standing: sortedIDs(s.standing)}
}

func sortedIDs(all []ids.ID) []ids.ID {
	slices.SortFunc(all, func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(all)
}

var countAssignments = []operation{{"count assignments", statement("count_assignments")}}

// projectSubjects brings flat rows and day tables up to date with the subjects and gives what has to
// be derived anew. Subjects are locked first, then questions, then evaluations, then figures of skills.
//
// New subjects write their flat rows before the questions are locked, since that is most of the work
// and concerns nobody else. Only subjects that the reports showed differently need the questions
// first; the second lock then finds nothing that is not locked already.
func projectSubjects(ctx context.Context, tx *db.Tx, s subjects) (affected, error) {
	err := execute(ctx, tx, s.assignments, countAssignments)
	if err != nil {
		return affected{}, err
	}
	err = execute(ctx, tx, s.standing, lockStanding)
	if err != nil {
		return affected{}, err
	}
	plan, err := compareSubmissions(ctx, tx, s.submissions)
	if err != nil {
		return affected{}, err
	}
	starts, err := compareStarts(ctx, tx, s.sessions)
	if err != nil {
		return affected{}, err
	}
	newKeys, err := withNewKeys(ctx, tx, s.remediations)
	if err != nil {
		return affected{}, err
	}
	var t affected
	if len(plan.retract) > 0 {
		questions, err := questionsOf(ctx, tx, leavingOrEnteringSQL, tx.Tenant(), plan.retract, plan.write)
		if err != nil {
			return affected{}, fmt.Errorf("find questions: %w", err)
		}
		t, err = lockRollups(ctx, tx, mergeQuestions(questions, newKeys), plan, starts)
		if err != nil {
			return affected{}, err
		}
		err = retract(ctx, tx, plan.retract)
		if err != nil {
			return affected{}, err
		}
	}
	written, err := writeAndCount(ctx, tx, plan, starts, newKeys)
	if err != nil {
		return affected{}, err
	}
	t.add(written)
	err = execute(ctx, tx, s.remediations, writeKeys)
	if err != nil {
		return affected{}, err
	}
	err = execute(ctx, tx, plan.write, added(countItemAttempts))
	if err != nil {
		return affected{}, err
	}
	err = execute(ctx, tx, plan.write, writeQuestions)
	if err != nil {
		return affected{}, err
	}
	err = deleteEmptyRows(ctx, tx, t, plan, starts)
	if err != nil {
		return affected{}, err
	}
	t.skills, err = projectSkills(ctx, tx, plan)
	if err != nil {
		return affected{}, err
	}
	return t, execute(ctx, tx, plan.gone, dropDeleted)
}

// writeAndCount writes the rows of the plans and counts all of them except the items. It gives the
// rollup rows that it has locked, the rows of the questions in newKeys among them.
func writeAndCount(ctx context.Context, tx *db.Tx, plan submissionPlan, starts startPlan, newKeys []typedQuestion) (affected, error) {
	questions, err := questionsOf(ctx, tx, writeItemAttemptsSQL, tx.Tenant(), plan.write)
	if err != nil {
		return affected{}, fmt.Errorf("write item attempts: %w", err)
	}
	err = execute(ctx, tx, plan.write, writeSubmissions)
	if err != nil {
		return affected{}, err
	}
	t, err := lockRollups(ctx, tx, mergeQuestions(questions, newKeys), plan, starts)
	if err != nil {
		return affected{}, err
	}
	err = execute(ctx, tx, plan.write, added(countSubmissions))
	if err != nil {
		return affected{}, err
	}
	return t, applyStarts(ctx, tx, starts)
}
