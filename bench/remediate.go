package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// remediatedDays is the time that the remediated submissions are spread over.
const remediatedDays = 30

// handRekeySQL is the correction by hand: it moves the totals and leaves no trace.
const handRekeySQL = `
update submissions s set score = s.score + d.delta,
	outcome_code = case when s.score + d.delta >= 10 then 'pass' else 'fail' end,
	outcome_label = case when s.score + d.delta >= 10 then 'Pass' else 'Fail' end
from (
	select submission_id, (response #>> '{optionIds,0}' = 'B')::int - score as delta
	from submission_items where tenant_id = $1 and question_version_id = $2 and not is_omitted
) d
where s.tenant_id = $1 and s.id = d.submission_id and d.delta <> 0`

// handLookSQL is the preview by hand: how many change, and how many outcomes flip.
const handLookSQL = `
select count(*), count(*) filter (where s.outcome_code <> case when s.score + d.delta >= 10 then 'pass' else 'fail' end)
from (
	select submission_id, (response #>> '{optionIds,0}' = 'B')::int - score as delta
	from submission_items where tenant_id = $1 and question_version_id = $2 and not is_omitted
) d
join submissions s on s.tenant_id = $1 and s.id = d.submission_id
where d.delta <> 0`

// measureRemediation previews another key for one question of many submissions, applies it and
// takes it back, and compares this with one statement that looks and one that moves the totals by hand.
func measureRemediation(ctx context.Context, h *house) ([]result, error) {
	e, err := writeExam(ctx, h.store, h.authority, "remediation", 1)
	if err != nil {
		return nil, err
	}
	err = e.load(ctx, h.super, h.size.many, h.size.many/attemptsOfOne, remediatedDays)
	if err != nil {
		return nil, err
	}
	byHand, err := h.rekeyByHand(ctx, &e)
	if err != nil {
		return nil, err
	}
	id, err := e.draftRekey(ctx, h.store)
	if err != nil {
		return nil, err
	}
	look, err := h.lookAtRekey(ctx, &e, id)
	if err != nil {
		return nil, err
	}
	found := []result{look}
	for _, step := range []struct {
		what  string
		begin func(context.Context, *db.Tx, ids.ID) (remediation.Remediation, error)
	}{{"apply", remediation.Apply}, {"revert", remediation.Revert}} {
		// A database that has been up for a minute has statistics.
		err = h.calm(ctx, "submissions", "submission_items", "score_versions", "item_scores", "remediations", "remediation_submissions")
		if err != nil {
			return nil, err
		}
		took, changed, err := e.remediate(ctx, h.store, id, step.begin)
		if err != nil {
			return nil, err
		}
		found = append(found, result{Name: fmt.Sprintf("%s a rekey to %d submissions, beside one update by hand", step.what, h.size.many),
			Unit: "s", Value: took.Seconds(), Beside: byHand.Seconds(), Ratio: took.Seconds() / byHand.Seconds(),
			Note: fmt.Sprintf("%d submissions changed", changed)})
	}
	return found, nil
}

// lookAtRekey times a preview, which has to find the changes that the statement finds. It adds
// up the items anew, where the statement trusts the totals that were loaded.
func (h *house) lookAtRekey(ctx context.Context, e *exam, id ids.ID) (result, error) {
	var changed, flipped int
	began := time.Now()
	err := h.super.QueryRow(ctx, handLookSQL, uuid(e.operator.Tenant), uuid(e.places[0].question)).Scan(&changed, &flipped)
	byHand := time.Since(began)
	if err != nil {
		return result{}, fmt.Errorf("look by hand: %w", err)
	}
	var p remediation.Preview
	began = time.Now()
	err = h.store.Read(ctx, e.operator, func(tx *db.Tx) error {
		p, err = remediation.Look(ctx, tx, remediation.PreviewInput{ID: id})
		return err
	})
	took := time.Since(began)
	if err != nil {
		return result{}, fmt.Errorf("preview: %w", err)
	}
	if p.Changed != changed {
		return result{}, fmt.Errorf("the preview finds %d changes, the statement %d", p.Changed, changed)
	}
	return result{Name: fmt.Sprintf("preview a rekey of %d submissions, beside one query by hand", h.size.many), Unit: "s", Value: took.Seconds(),
		Beside: byHand.Seconds(), Ratio: took.Seconds() / byHand.Seconds(), Note: fmt.Sprintf("%d submissions would change", changed)}, nil
}

var errUndo = errors.New("undo")

// rekeyByHand times the statement and takes its effect back.
func (h *house) rekeyByHand(ctx context.Context, e *exam) (time.Duration, error) {
	var took time.Duration
	err := pgx.BeginFunc(ctx, h.super, func(tx pgx.Tx) error {
		began := time.Now()
		_, err := tx.Exec(ctx, handRekeySQL, uuid(e.operator.Tenant), uuid(e.places[0].question))
		took = time.Since(began)
		if err == nil {
			err = errUndo
		}
		return err
	})
	if !errors.Is(err, errUndo) {
		return 0, fmt.Errorf("rekey by hand: %w", err)
	}
	return took, h.calm(ctx, "submissions")
}

func (e *exam) draftRekey(ctx context.Context, store *db.Store) (ids.ID, error) {
	var made remediation.Remediation
	err := store.Write(ctx, e.operator, func(tx *db.Tx) error {
		var err error
		made, err = remediation.Create(ctx, tx, remediation.Input{EvaluationVersionID: &e.version, QuestionVersionID: e.places[0].question,
			Rule: remediation.RuleRekey, Parameters: remediation.Parameters{CorrectOptionIDs: []string{"B"}}, Reason: "measured"})
		return err
	})
	return made.ID, err
}

// remediate times the work from the request to its end.
func (e *exam) remediate(ctx context.Context, store *db.Store, id ids.ID,
	begin func(context.Context, *db.Tx, ids.ID) (remediation.Remediation, error)) (time.Duration, int, error) {
	began := time.Now()
	err := store.Write(ctx, e.operator, func(tx *db.Tx) error {
		_, err := begin(ctx, tx, id)
		return err
	})
	if err == nil {
		_, err = remediation.Run(ctx, store, e.operator.Tenant, id, nil)
	}
	if err != nil {
		return 0, 0, err
	}
	took := time.Since(began)
	var done remediation.Remediation
	err = store.Read(ctx, e.operator, func(tx *db.Tx) error {
		done, err = remediation.Get(ctx, tx, id)
		return err
	})
	return took, done.Changed, err
}
