package projection

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"assess/models"
	"assess/pkg/author/skill"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// KindSkills derives facts and figures of skills anew.
const KindSkills = "skills"

// RecalculateInput says how figures of skills are derived anew.
type RecalculateInput struct {
	// Rematch keeps the mapping versions that are applied, and matches the questions against them
	// again: terms were merged, or moved in their tree.
	Rematch bool `json:"rematch,omitempty" doc:"Keep the mapping versions that figures follow now, and hold the questions against their rules again"`
}

// QueueRecalculation makes all figures of skills follow the published mappings, and leaves the work to a
// worker. Without it, figures go on following the versions that the last one applied. Capability:
// skills.mapping.manage.
func QueueRecalculation(ctx context.Context, tx *db.Tx, in RecalculateInput) (Job, error) {
	err := tx.Require(capability.SkillsMapping)
	if err != nil {
		return Job{}, err
	}
	return queue(ctx, tx, KindSkills, in)
}

// PublishedMapping is a version that was published, with the recalculation that figures wait for.
type PublishedMapping struct {
	skill.MappingVersionDetail
	Recalculate   string `json:"recalculate" doc:"Where to post so that figures follow the version"`
	Recalculation *Job   `json:"recalculation,omitempty" doc:"With recalculate=true: the job, which was queued"`
}

// PublishMapping is skill.PublishMapping; it offers the recalculation after it, and queues it on request.
func PublishMapping(ctx context.Context, tx *db.Tx, set, version ids.ID, recalculate bool) (PublishedMapping, error) {
	published, err := skill.PublishMapping(ctx, tx, set, version, CountSkillMatches)
	if err != nil {
		return PublishedMapping{}, err
	}
	offered := PublishedMapping{MappingVersionDetail: published, Recalculate: RecalculatePath}
	if !recalculate {
		return offered, nil
	}
	queued, err := QueueRecalculation(ctx, tx, RecalculateInput{})
	offered.Recalculation = &queued
	return offered, err
}

// RecalculatePath is the path of the route that calls QueueRecalculation.
const RecalculatePath = "/api/v1/skills/recalculate"

// GetSkillJob reads a recalculation or a preview. Capability: skills.mapping.manage. Errors: not_found.
func GetSkillJob(ctx context.Context, tx *db.Tx, id ids.ID) (SkillJob, error) {
	err := tx.Require(capability.SkillsMapping)
	if err != nil {
		return SkillJob{}, err
	}
	found, err := findJob(ctx, tx, id)
	if err != nil {
		return SkillJob{}, err
	}
	if found.Kind != KindSkills && found.Kind != KindSkillPreview {
		return SkillJob{}, errNoJob
	}
	return skillJobOf(ctx, tx, found)
}

// askRematch queues a job that matches all questions against the applied rules again, unless one is waiting already.
func askRematch(ctx context.Context, tx *db.Tx, needed bool) error {
	if !needed {
		return nil
	}
	var waits bool
	err := tx.QueryRow(ctx, `
		select exists (select from report_jobs where tenant_id = $1 and kind = 'skills' and state = 'queued' and started_at is null)`,
		tx.Tenant()).Scan(&waits)
	if err != nil {
		return fmt.Errorf("look for a recalculation: %w", err)
	}
	if waits {
		return nil
	}
	_, err = queue(ctx, tx, KindSkills, RecalculateInput{Rematch: true})
	return err
}

// skillStep is a step of a job that runs its own transactions.
type skillStep func(ctx context.Context, store *db.Store, tenant, id ids.ID, size int) (Job, error)

// skillStepOf gives the next step of a job that is not an ordinary piece: a recalculation first changes
// the rules and then visits people, several transactions a piece, and a preview does everything at once.
func skillStepOf(row models.ReportJob) skillStep {
	switch {
	case row.Kind == KindSkills && row.TotalN == nil:
		return beginRecalculation
	case row.Kind == KindSkills:
		return recalculatePiece
	case row.Kind == KindSkillPreview:
		return preview
	}
	return nil
}

// beginRecalculation changes the rules that batches use, while none runs: later batches use the new
// ones, and what earlier ones wrote is visited by the pieces that follow.
func beginRecalculation(ctx context.Context, store *db.Store, tenant, id ids.ID, _ int) (Job, error) {
	var row models.ReportJob
	err := store.Write(ctx, db.System(tenant, "projector"), func(tx *db.Tx) error {
		err := ownProjection(ctx, tx)
		if err != nil {
			return err
		}
		row, err = lockJob(ctx, tx, id)
		if err != nil || row.TotalN != nil {
			return err
		}
		in, err := argumentsOf[RecalculateInput](row)
		if err != nil {
			return err
		}
		err = configure(ctx, tx, roomy)
		if err != nil {
			return err
		}
		err = changeRules(ctx, tx, in)
		if err != nil {
			return err
		}
		return begin(ctx, tx, &row)
	})
	return jobOf(row), err
}

func changeRules(ctx context.Context, tx *db.Tx, in RecalculateInput) error {
	if in.Rematch {
		applied, err := appliedVersions(ctx, tx)
		if err != nil {
			return err
		}
		return rematch(ctx, tx, applied)
	}
	active, err := activeVersions(ctx, tx, nil)
	if err != nil {
		return err
	}
	return apply(ctx, tx, active)
}

// begin records that a job runs, over all people of the tenant.
func begin(ctx context.Context, tx *db.Tx, row *models.ReportJob) error {
	var total int64
	err := tx.QueryRow(ctx, "select count(*) from users where tenant_id = $1", tx.Tenant()).Scan(&total)
	if err != nil {
		return fmt.Errorf("count people: %w", err)
	}
	now := tx.Now()
	row.State, row.ErrorCode, row.FinishedAt = models.ReportJobRunning, nil, nil
	row.StartedAt, row.TotalN = &now, &total
	return saveJob(ctx, tx, *row)
}

const (
	usersSQL = "select id from users where tenant_id = $1 and id > $2 order by id limit $3"
	// submissionsOfSQL are the submissions of people, including submissions that are not completed any more, and
	// deleted ones that left only facts.
	submissionsOfSQL = `
		select s.id from unnest($2::uuid[]) u (id)
		cross join lateral (select id from submissions s where s.tenant_id = $1 and s.user_id = u.id offset 0) s
		union
		select s.submission_id from unnest($2::uuid[]) u (id)
		cross join (select id from org_units where tenant_id = $1 offset 0) o
		cross join lateral (select submission_id from report_skill_submissions s
			where s.tenant_id = $1 and s.org_unit_id = o.id and s.user_id = u.id offset 0) s order by 1`
)

// atOnce is how many transactions share the people of a piece: nearly all of the time of one is a single statement,
// for which PostgreSQL uses one processor.
const atOnce = 2

// recalculatePiece derives all facts and figures of the next people, in transactions that each take some of them, and
// then moves the cursor behind them. A piece that is interrupted before that, or that two workers take, is done twice
// with the same outcome.
func recalculatePiece(ctx context.Context, store *db.Store, tenant, id ids.ID, size int) (Job, error) {
	row, in, people, err := nextPeople(ctx, store, tenant, id, size)
	if err != nil {
		return Job{}, err
	}
	parts, partsCtx := errgroup.WithContext(ctx)
	for part := range slices.Chunk(people, (size+atOnce-1)/atOnce) {
		parts.Go(func() error {
			return store.Write(partsCtx, db.System(tenant, "projector"), func(tx *db.Tx) error { return recalculate(partsCtx, tx, in, part) })
		})
	}
	err = parts.Wait()
	if err != nil {
		return Job{}, err
	}
	from := row.LastSubject
	err = store.Write(ctx, db.System(tenant, "projector"), func(tx *db.Tx) error {
		var err error
		row, err = lockJob(ctx, tx, id)
		if err != nil || row.LastSubject != from || row.State == models.ReportJobCompleted {
			return err
		}
		if len(people) > 0 {
			row.LastSubject = people[len(people)-1]
		}
		return goOn(ctx, tx, &row, len(people), size)
	})
	return jobOf(row), err
}

// nextPeople reads the people behind the cursor.
func nextPeople(ctx context.Context, store *db.Store, tenant, id ids.ID, size int) (row models.ReportJob, in RecalculateInput, people []ids.ID, err error) {
	err = store.Write(ctx, db.System(tenant, "projector"), func(tx *db.Tx) error {
		row, err = lockJob(ctx, tx, id)
		if err != nil {
			return err
		}
		in, err = argumentsOf[RecalculateInput](row)
		if err != nil {
			return err
		}
		people, err = idsOf(ctx, tx, usersSQL, row.LastSubject, size)
		if err != nil {
			return fmt.Errorf("find people: %w", err)
		}
		return nil
	})
	return row, in, people, err
}

// recalculate derives all facts and figures of people. It locks their submissions as a batch does, so that it sees
// what the batches before it wrote.
func recalculate(ctx context.Context, tx *db.Tx, in RecalculateInput, people []ids.ID) error {
	err := joinProjection(ctx, tx)
	if err != nil {
		return err
	}
	err = configure(ctx, tx, roomy)
	if err != nil {
		return err
	}
	submissions, err := idsOf(ctx, tx, submissionsOfSQL, people)
	if err != nil {
		return fmt.Errorf("find submissions: %w", err)
	}
	err = execute(ctx, tx, submissions, lockStanding)
	if err != nil {
		return err
	}
	if in.Rematch {
		// The rules are the same, so few facts differ.
		submissions, err = idsOf(ctx, tx, changedSkillsSQL, submissions)
		if err != nil {
			return fmt.Errorf("compare facts of skills: %w", err)
		}
	}
	gone, err := dropSkills(ctx, tx, submissions)
	if err != nil {
		return err
	}
	changed, err := writeSkills(ctx, tx, submissions, gone)
	if err != nil {
		return err
	}
	return skillMarks{figures: changed}.apply(ctx, tx)
}

var errNoMapping = errs.New(errs.NotFound, "There is no such mapping version.")
