package standing

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/trust/readiness"
)

// Standing is what the tables say about one submission, and what else a queue needs to know about it.
type Standing struct {
	ID, OrgUnit, Evaluation, User ids.ID
	// Engagement is the engagement of the assignment, if there is one.
	Engagement  *ids.ID
	CompletedAt time.Time
	Facts       readiness.Facts
	// Executed is about the execution and never changes, and Written says that it was written down.
	Executed readiness.Execution
	Written  bool
	// invalid are the items whose answers could not be scored, including items that count for nothing.
	invalid []ids.ID
	// Gone says that the person's data are being erased, or were: nobody can do anything about the submission.
	Gone bool
	// answersErased says that retention or forgetting took away the text of an answer.
	answersErased bool
	// erased are the kinds of files that retention or forgetting took away.
	erased []string
}

// Blocks are the blocks of the submission at a moment.
func (s Standing) Blocks(now time.Time) readiness.Blocks {
	return readiness.At(now, s.Facts, s.Executed)
}

// asked says whether the version requires anything that the submit could fail to meet.
func (s Standing) asked() bool {
	f := s.Facts
	return f.Frozen.RequireContext || f.Frozen.RequireStepUp || len(f.Frozen.Fields) > 0
}

//go:embed facts.sql
var factsFile string

var factsSQL = strings.NewReplacer("{{newest items}}", submission.NewestItems("$1"),
	"{{gone}}", "coalesce((select "+people.IsErased+" from users u where u.tenant_id = $1 and u.id = s.user_id), false)").Replace(factsFile)

// Read gives the standing of submissions, in the order of the ids given; one that is not in the
// scope is left out. The caller has checked the capability.
func Read(ctx context.Context, tx *db.Tx, submissions []ids.ID) ([]Standing, error) {
	if len(submissions) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, factsSQL, tx.Tenant(), submissions)
	if err != nil {
		return nil, fmt.Errorf("read facts of submissions: %w", err)
	}
	all, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("read facts of submissions: %w", err)
	}
	return all, withPolicies(ctx, tx, all)
}

// scan reads a row of facts.sql.
func scan(row pgx.CollectableRow) (Standing, error) {
	var s Standing
	f := &s.Facts
	var verified readiness.Verification
	var executed []string
	var kinds, integrities []string
	var voided, erased []bool
	err := row.Scan(&s.ID, &s.OrgUnit, &s.Evaluation, &s.User, &s.Engagement, &s.CompletedAt, &f.SnapshotRef,
		&f.Voided, &f.Waits, &s.answersErased, &s.Gone, &f.Counts, &f.Outcome, &f.Approval, &s.invalid, &f.Unreviewed, &f.OneSetOfEyes,
		&verified.StepUp, &verified.Fields, &f.UnansweredMajor, &f.OpenClaim, &f.UpheldClaim, &f.OpenDispute,
		&kinds, &integrities, &voided, &erased, &executed)
	if err != nil {
		return Standing{}, err
	}
	if verified.Fields != nil {
		f.Verification = &verified
	}
	for i := range kinds {
		if erased[i] && !voided[i] {
			s.erased = append(s.erased, kinds[i])
			continue
		}
		f.Files = append(f.Files, readiness.File{Kind: kinds[i], Integrity: integrities[i], Voided: voided[i]})
	}
	if executed != nil {
		s.Executed, s.Written = readiness.Execution{Defensible: len(executed) == 0, Reasons: executed}, true
	}
	return s, nil
}

// withPolicies adds what the snapshots froze and what the policies of the day ask, and computes
// what nobody has written down yet.
func withPolicies(ctx context.Context, tx *db.Tx, all []Standing) error {
	frozen, err := frozenOf(ctx, tx, all)
	if err != nil {
		return err
	}
	today, err := policiesOfToday(ctx, tx)
	if err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		was := frozen[s.Facts.SnapshotRef]
		s.Facts.Frozen, s.Facts.Today = was.policy, today[was.level]
		s.Facts.HasPassMark, s.Facts.Demanded, s.Facts.SnapshotBroken = was.hasPassMark, was.demanded, was.broken
		s.Facts.Invalid = slices.ContainsFunc(s.invalid, func(item ids.ID) bool { return !slices.Contains(was.surveys, item) })
		s.Facts.OneSetOfEyes = s.Facts.OneSetOfEyes && was.fourEyes
		s.Facts.Expired = s.answersErased || slices.ContainsFunc(s.erased, func(kind string) bool { return slices.Contains(was.demanded, kind) && !s.has(kind) })
		if !s.Written {
			s.Executed = readiness.Executed(s.Facts)
		}
	}
	return nil
}

// has says whether there is still a file of a kind.
func (s Standing) has(kind string) bool {
	return slices.ContainsFunc(s.Facts.Files, func(f readiness.File) bool { return f.Kind == kind && !f.Voided })
}

// keepSQL writes what Executed says, once and for ever; a second writer finds it there.
const keepSQL = `
insert into submission_executions (tenant_id, submission_id, org_unit_id, logic_version, reasons, written_at)
select $1, k.submission_id, k.org_unit_id, $2, string_to_array(k.reasons, ' '), $3
from unnest($4::uuid[], $5::uuid[], $6::text[]) k (submission_id, org_unit_id, reasons) order by 2
on conflict do nothing`

// KeepExecutions writes down Executed for the submissions whose version required something and
// that have no row yet. The projector calls it for what it sees.
func KeepExecutions(ctx context.Context, tx *db.Tx, all []Standing) error {
	var submissions, units []ids.ID
	var reasons []string
	for _, s := range all {
		if !s.Written && s.asked() {
			submissions, units = append(submissions, s.ID), append(units, s.OrgUnit)
			reasons = append(reasons, strings.Join(s.Executed.Reasons, " "))
		}
	}
	if len(submissions) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, keepSQL, tx.Tenant(), readiness.LogicVersion, tx.Now(), submissions, units, reasons)
	if err != nil {
		return fmt.Errorf("keep what stood at submit: %w", err)
	}
	return nil
}

// hashes lists the snapshots of submissions, each once.
func hashes(all []Standing) []string {
	var found []string
	for _, s := range all {
		found = append(found, s.Facts.SnapshotRef)
	}
	slices.Sort(found)
	return slices.Compact(found)
}
