package reporting

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/remediation"
	"assess/pkg/exam/review"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// drawEnded gives a submission and one of its places.
func (f *fair) drawEnded(rt *rapid.T) (begun, int, bool) {
	if len(f.ended) == 0 {
		return begun{}, 0, false
	}
	s := rapid.SampledFrom(f.ended).Draw(rt, "submission")
	place := rapid.SampledFrom([]int{essay, essay, essay, choice, several, number, survey}).Draw(rt, "place")
	_, shown := f.question(s.version, place)
	return s, place, shown
}

// mark scores an item as a person does: mostly an essay.
func (f *fair) mark(t *testing.T, rt *rapid.T) {
	s, place, found := f.drawEnded(rt)
	if !found {
		return
	}
	item, _ := f.question(s.version, place)
	score := item.Key.Weight * rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(rt, "share")
	f.must(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := remediation.Mark(ctx, tx, remediation.MarkInput{SubmissionID: s.id, ItemID: item.ItemID, Score: score})
		return err
	})
}

// remediate corrects a question in an evaluation version or in one submission.
func (f *fair) remediate(t *testing.T, rt *rapid.T) {
	s, place, found := f.drawEnded(rt)
	if !found {
		return
	}
	item, _ := f.question(s.version, place)
	in := remediation.Input{QuestionVersionID: item.QuestionVersionID, Reason: "the key was wrong",
		Rule: rapid.SampledFrom([]string{remediation.RuleExempt, remediation.RuleRekey, remediation.RuleFullCredit, remediation.RuleAdjust}).Draw(rt, "rule")}
	switch in.Rule {
	case remediation.RuleRekey:
		if place == number || place == essay {
			in.Rule = remediation.RuleFullCredit
			break
		}
		if place == pairing {
			in.Parameters.Pairs = rapid.SampledFrom([][]scoring.Pair{{{"p1", "A"}, {"p2", "D"}}, {{"p2", "C"}, {"p3", "D"}}}).Draw(rt, "pairs")
			break
		}
		if place == filling {
			in.Parameters.Gaps = rapid.SampledFrom([][]remediation.GapKey{{{ID: "g1", AcceptedAnswers: []string{"no"}}}, {{ID: "g2", CorrectOptionIDs: []string{"A", "C"}}, {ID: "g4", CorrectOptionIDs: []string{"B"}}}}).Draw(rt, "gaps")
			break
		}
		if place == sequence {
			in.Parameters.Order = rapid.SampledFrom([][]string{{"A", "D", "C", "B"}, {"B", "C", "A", "D"}}).Draw(rt, "order")
			break
		}
		in.Parameters.CorrectOptionIDs = rapid.SampledFrom([][]string{{"A"}, {"B"}, {"C"}, {"A", "B"}}).Draw(rt, "right")
	case remediation.RuleAdjust:
		score := rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(rt, "adjusted")
		in.Parameters.Score = &score
	}
	if rapid.Bool().Draw(rt, "whole") {
		in.EvaluationVersionID = &f.versions[s.version]
	} else {
		in.SubmissionIDs = []ids.ID{s.id}
	}
	var made remediation.Remediation
	f.must(t, func(ctx context.Context, tx *db.Tx) (err error) {
		made, err = remediation.Create(ctx, tx, in)
		return err
	})
	f.through(t, made.ID, remediation.Apply)
	f.active = append(f.active, made.ID)
	if in.Rule == remediation.RuleExempt {
		f.exempted[made.ID] = rekey{s.version, in.EvaluationVersionID != nil, in.QuestionVersionID, nil, nil, nil}
	}
	if in.Rule == remediation.RuleRekey {
		f.rekeys[made.ID] = rekey{s.version, in.EvaluationVersionID != nil, in.QuestionVersionID, slices.Concat([]string{}, in.Parameters.CorrectOptionIDs, in.Parameters.Order), in.Parameters.Pairs, in.Parameters.Gaps}
	}
}

func (f *fair) through(t *testing.T, id ids.ID, what func(context.Context, *db.Tx, ids.ID) (remediation.Remediation, error)) {
	t.Helper()
	f.must(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := what(ctx, tx, id)
		return err
	})
	_, err := remediation.Run(t.Context(), f.store, f.tenant, id, nil)
	if err != nil {
		t.Fatal(err)
	}
}

func (f *fair) takeBack(t *testing.T, rt *rapid.T) {
	if id, found := take(rt, &f.active); found {
		f.through(t, id, remediation.Revert)
		f.reverted = append(f.reverted, id)
	}
}

func (f *fair) applyAgain(t *testing.T, rt *rapid.T) {
	if id, found := take(rt, &f.reverted); found {
		f.through(t, id, remediation.Apply)
		f.active = append(f.active, id)
	}
}

// decide rejects, approves or reopens: the decisions of reviewers change no figure.
func (f *fair) decide(t *testing.T, rt *rapid.T) {
	s, _, found := f.drawEnded(rt)
	if !found {
		return
	}
	reviewer := f.operator // another one: the person who scored does not decide
	reviewer.Actor.Name = "reviewer"
	sample.Write(t, f.store, reviewer, func(tx *db.Tx) error {
		ctx, status := t.Context(), ""
		err := tx.QueryRow(ctx, "select approval_status from submissions where tenant_id = $1 and id = $2", f.tenant, s.id).Scan(&status)
		if err != nil {
			return err
		}
		decision := review.Reopen
		if status == "pending_review" {
			decision = rapid.SampledFrom([]func(context.Context, *db.Tx, review.Input) (review.Result, error){review.Reject, review.Approve}).Draw(rt, "decision")
		}
		_, err = decision(ctx, tx, review.Input{SubmissionID: s.id, Comment: "not sure"})
		if errors.Is(err, errs.ScoresPending) {
			return nil // an essay waits to be scored
		}
		return err
	})
}

// void takes a submission out of all figures.
func (f *fair) void(t *testing.T, rt *rapid.T) {
	if rapid.Bool().Draw(rt, "keep") {
		return
	}
	if s, found := take(rt, &f.ended); found {
		f.must(t, func(ctx context.Context, tx *db.Tx) error {
			_, err := review.Void(ctx, tx, review.Input{SubmissionID: s.id, Comment: "somebody else wrote it"})
			return err
		})
	}
}
