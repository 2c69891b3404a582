package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/people/policy"
	"assess/pkg/report/projection"
)

const (
	// concerned is how many submissions a stricter policy concerns; as many more of another level must stay as they are.
	concerned     = 100_000
	tightenedGoal = 60 // s
)

// tightenedSQL counts the rows that name the reason, and the rows of the evaluation that the policy does not concern which
// were written since.
const tightenedSQL = `
select count(*) filter (where 'policy_requirements_tightened' = any(reasons)), count(*) filter (where evaluation_id <> $2 and updated_at >= $3)
from defensibility_exception_triage where tenant_id = $1`

// ofLevelSQL copies submissions to the evaluation of another level.
const ofLevelSQL = `
insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_at, run_label,
	seed, status, submitted_by, completion_method, completed_at, snapshot_hash, approval_status, score, max_score, outcome_code, outcome_label)
select tenant_id, gen_random_uuid(), org_unit_id, $2, $3, user_id, started_at, run_label, seed, status, submitted_by, completion_method,
	completed_at, $4, approval_status, score, max_score, outcome_code, outcome_label
from submissions where tenant_id = $1`

// measureTightened makes the policy of a level stricter and puts it back, and lets one worker of the projector catch up.
func measureTightened(ctx context.Context, h *house) ([]result, error) {
	e, err := writeExam(ctx, h.store, h.authority, "tightened", 1)
	if err != nil {
		return nil, err
	}
	err = e.load(ctx, h.super, concerned, concerned/attemptsOfOne, reportedDays)
	if err != nil {
		return nil, err
	}
	err = h.loadLevel(ctx, &e)
	if err == nil {
		err = h.calm(ctx)
	}
	if err == nil {
		err = projection.Rebuild(ctx, h.store, e.operator.Tenant, nil)
	}
	if err == nil {
		err = h.calm(ctx)
	}
	if err != nil {
		return nil, err
	}
	var all []result
	for _, turn := range []struct {
		name     string
		stricter bool
	}{{"a policy made stricter marks %d submissions of %d", true}, {"a policy made as it was unmarks %d submissions of %d", false}} {
		var from time.Time
		err := h.super.QueryRow(ctx, "select clock_timestamp()").Scan(&from)
		if err == nil {
			err = h.store.Write(ctx, e.operator, func(tx *db.Tx) error {
				_, err := policy.SetVerificationOf(ctx, tx, policy.Verification{Level: "L1", AppliesTo: "submissions",
					Rules: policy.Rules{RequireContext: turn.stricter}})
				return err
			})
		}
		if err != nil {
			return nil, err
		}
		start := time.Now()
		err = h.projectAll(ctx, &e)
		took := time.Since(start)
		if err != nil {
			return nil, err
		}
		marked, rewritten, wanted := 0, 0, 0
		if turn.stricter {
			wanted = concerned
		}
		err = h.super.QueryRow(ctx, tightenedSQL, uuid(e.operator.Tenant), uuid(e.evaluation), from).Scan(&marked, &rewritten)
		if err == nil && (marked != wanted || rewritten != 0) {
			err = fmt.Errorf("%d rows have the reason, want %d; %d rows of another level were written", marked, wanted, rewritten)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, result{Name: fmt.Sprintf(turn.name, concerned, 2*concerned), Unit: "s", Value: took.Seconds(), AtMost: tightenedGoal,
			Note: "one worker of the projector; no row of another level is written"})
	}
	return all, h.emptyReports(ctx)
}

// loadLevel publishes an evaluation at another level, and gives it as many submissions.
func (h *house) loadLevel(ctx context.Context, e *exam) error {
	var other authoring.Published
	err := h.store.Write(ctx, e.operator, func(tx *db.Tx) error {
		q, err := authoring.CreateQuestion(ctx, tx, questionInput(items, 1))
		if err == nil {
			_, err = authoring.PublishQuestion(ctx, tx, q.ID)
		}
		if err != nil {
			return err
		}
		made, err := authoring.CreateEvaluation(ctx, tx, authoring.EvaluationInput{Title: "Exam of another level",
			Sections: []authoring.SectionInput{{Title: "All", Items: []authoring.ItemInput{{QuestionID: q.ID}}}}, Settings: authoring.Settings{VerificationLevel: "L2"}})
		if err == nil {
			_, err = authoring.PublishEvaluation(ctx, tx, made.ID)
		}
		if err == nil {
			other, err = authoring.PublishedVersion(ctx, tx, made.ID)
		}
		return err
	})
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, h.super, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "set local session_replication_role = replica") // as in load
		if err == nil {
			_, err = tx.Exec(ctx, ofLevelSQL, uuid(e.operator.Tenant), uuid(other.EvaluationID), uuid(other.EvaluationVersionID), other.SnapshotHash)
		}
		return err
	})
}
