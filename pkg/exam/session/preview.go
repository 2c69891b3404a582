package session

import (
	"context"
	"math/rand/v2"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// maxSeed is the largest integer that JSON carries exactly everywhere (RFC 8785).
const maxSeed = 1<<53 - 1

// PreviewInput asks what a session of an evaluation would be like.
type PreviewInput struct {
	EvaluationID ids.ID `path:"id" json:"-"`
	// Version is authoring.PreviewDraft or authoring.PreviewPublished; empty means the draft
	// where there is one.
	Version string   `json:"version,omitempty" enum:"draft,published" doc:"Default: the draft where there is one"`
	Seed    *int64   `json:"seed,omitempty" minimum:"0" maximum:"9007199254740991" doc:"Decides on draws and orders: the same seed shows the same. Default: any"`
	Answers []Answer `json:"answers,omitempty" nullable:"false" maxItems:"1000" doc:"Score these, as submitting them would"`
	authoring.LangQuery
}

// Preview is a session that does not exist: its id is all zeros and it is kept nowhere.
type Preview struct {
	Version string  `json:"version" enum:"draft,published"`
	Number  int     `json:"number"`
	Seed    int64   `json:"seed" doc:"Send it again to see the same draws and orders"`
	Session Session `json:"session"`
	// Problems are what publishing would refuse; questions that cannot be published yet are
	// not in the session.
	Problems []errs.Field   `json:"problems" nullable:"false" doc:"What keeps the draft from being published; such questions are left out of the session"`
	Warnings []errs.Field   `json:"warnings" nullable:"false" doc:"What may surprise when the version is published now, such as newer drafts of its questions; for a published version too"`
	Result   *PreviewResult `json:"result,omitempty" doc:"When answers were sent"`
}

// PreviewResult is the result that the answers would get, no matter how much of it feedback_mode would show.
type PreviewResult struct {
	Score        float64         `json:"score"`
	MaxScore     float64         `json:"maxScore"`
	OutcomeCode  scoring.Outcome `json:"outcome_code" enum:"pass,fail,incomplete"`
	OutcomeLabel string          `json:"outcome_label"`
	Items        []PreviewItem   `json:"items" nullable:"false"`
}

// PreviewItem is the score of one item.
type PreviewItem struct {
	ItemID      ids.ID  `json:"itemId"`
	ScoreStatus string  `json:"scoreStatus" enum:"SCORED,PENDING,INVALID,EXEMPT"`
	Score       float64 `json:"score"`
	MaxScore    float64 `json:"max_score"`
	IsCorrect   bool    `json:"is_correct"`
	InvalidCode string  `json:"invalidCode,omitempty" shape:"invalid code"`
}

// PreviewEvaluation shows what a candidate would see, and scores answers to it. It writes
// nothing, and what it shows is no snapshot (specification, section 4.6). It needs
// evaluations.read and questions.read. Errors: not_found, not_published, validation_failed.
func PreviewEvaluation(ctx context.Context, tx *db.Tx, in PreviewInput) (Preview, error) {
	p, err := authoring.PreviewSnapshot(ctx, tx, in.EvaluationID, in.Version)
	if err != nil {
		return Preview{}, err
	}
	seed := rand.Int64N(maxSeed)
	if in.Seed != nil {
		seed = *in.Seed
	}
	if seed < 0 || seed > maxSeed {
		return Preview{}, errs.Invalid(errs.Field{Path: "seed", Code: "out_of_range", Message: "a seed is 0 to 2^53-1"})
	}
	f := digest("", p.Snapshot)
	row := models.Session{State: models.SessionOpen, UserID: tx.Actor().ID, EvaluationID: in.EvaluationID,
		EvaluationVersionID: p.Snapshot.EvaluationVersionID, StartedAt: tx.Now(), DeadlineAt: f.deadline(tx.Now(), 0), Seed: seed, View: 1}
	shown := Preview{Version: p.Version, Number: p.Snapshot.Number, Seed: seed, Session: f.show(row, in.Lang, tx.Now()), Problems: p.Problems, Warnings: p.Warnings}
	if in.Answers != nil {
		shown.Result, err = f.score(row, in.Answers, tx)
	}
	return shown, err
}

// score gives what submitting answers would.
func (f *form) score(row models.Session, answers []Answer, tx *db.Tx) (*PreviewResult, error) {
	a := &attempt{Session: row}
	if len(answers) > 0 {
		all, err := f.check(dealOf(row), answers)
		if err != nil {
			return nil, err
		}
		for _, one := range newest(all) {
			a.items, a.responses = append(a.items, one.ItemID), append(a.responses, orNull(one.Response))
			a.times, a.starts, a.answered = append(a.times, one.TimeSpentMs), append(a.starts, one.StartedAt), append(a.answered, tx.Now())
		}
	}
	r := a.record(f)
	result := &PreviewResult{Score: r.Result.Score, MaxScore: r.Result.MaxScore, OutcomeCode: r.Result.OutcomeCode,
		OutcomeLabel: r.Result.OutcomeLabel, Items: make([]PreviewItem, 0, len(r.Items))}
	for _, item := range r.Items {
		result.Items = append(result.Items, PreviewItem{ItemID: item.ItemID, ScoreStatus: string(item.Score.Status),
			Score: item.Score.Score, MaxScore: item.Score.MaxScore, IsCorrect: item.Score.IsCorrect, InvalidCode: item.Score.InvalidCode})
	}
	return result, nil
}
