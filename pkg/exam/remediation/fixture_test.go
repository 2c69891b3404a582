package remediation

import (
	"context"
	"testing"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// room is a tenant with an evaluation of a question of every type, a candidate and a
// reviewer.
type room struct {
	t                             *testing.T
	store                         *db.Store
	operator, candidate, reviewer db.Scope
	snapshot                      authoring.Snapshot
	desk                          *session.Desk
}

// The places of the questions.
const (
	choice = iota
	several
	text
	number
	essay
	survey
)

func keys() []scoring.Key {
	some := sample.Choice("B", "C")
	some.Method, some.Weight = scoring.Partial, 2
	asked := sample.Choice("A")
	asked.ContributesToScore = false
	return []scoring.Key{
		sample.Choice("A"), some,
		{QType: scoring.ShortText, Weight: 1, Accepted: []string{"blue"}, ContributesToScore: true},
		{QType: scoring.Numeric, Weight: 3, Value: 10, Tolerance: 0.5, ContributesToScore: true},
		{QType: scoring.Essay, Weight: 4, ContributesToScore: true}, asked,
	}
}

func newRoom(t *testing.T, settings authoring.Settings) *room {
	t.Helper()
	return newRoomIn(t, sample.Store(t), settings)
}

func newRoomIn(t *testing.T, store *db.Store, settings authoring.Settings) *room {
	t.Helper()
	r := &room{t: t, store: store, operator: sample.Tenant(t, store), desk: session.NewDesk()}
	sample.Write(t, store, r.operator, func(tx *db.Tx) error {
		r.snapshot = sample.Published(t, tx, settings, keys()...)
		r.candidate = sample.As(r.operator, sample.User(t, tx).ID, capability.SessionsTake, capability.SubmissionsReview)
		r.reviewer = sample.As(r.operator, sample.User(t, tx).ID, capability.SubmissionsReview, capability.SubmissionsRead, capability.RemediationsManage)
		return nil
	})
	return r
}

func half() authoring.Settings {
	mark := 50.0
	return authoring.Settings{PassMarkPercent: &mark, ScoringConfig: scoring.Config{NegativeMarking: 0.25}}
}

func (r *room) item(place int) authoring.SnapshotItem { return r.snapshot.Sections[0].Items[place] }

// submit answers the questions in their order; an empty answer leaves one out.
func (r *room) submit(responses ...string) ids.ID {
	r.t.Helper()
	var id ids.ID
	sample.Write(r.t, r.store, r.candidate, func(tx *db.Tx) error {
		id = sample.Submission(r.t, tx, r.desk, r.snapshot, responses...).SubmissionID
		return nil
	})
	return id
}

func (r *room) write(as db.Scope, do func(context.Context, *db.Tx) error) error {
	return r.store.Write(r.t.Context(), as, func(tx *db.Tx) error { return do(r.t.Context(), tx) })
}

// draft makes a remediation of the question at the place, for the evaluation version unless
// submissions are chosen.
func (r *room) draft(rule string, place int, p Parameters, chosen ...ids.ID) Remediation {
	r.t.Helper()
	in := Input{QuestionVersionID: r.item(place).QuestionVersionID, Rule: rule, Parameters: p, Reason: "the key was wrong", SubmissionIDs: chosen}
	if len(chosen) == 0 {
		in.EvaluationVersionID = &r.snapshot.EvaluationVersionID
	}
	var made Remediation
	err := r.write(r.operator, func(ctx context.Context, tx *db.Tx) (err error) {
		made, err = Create(ctx, tx, in)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return made
}

func (r *room) ask(id ids.ID, what func(context.Context, *db.Tx, ids.ID) (Remediation, error)) (Remediation, error) {
	var got Remediation
	err := r.write(r.reviewer, func(ctx context.Context, tx *db.Tx) (err error) {
		got, err = what(ctx, tx, id)
		return err
	})
	return got, err
}

// apply and revert go to the end.
func (r *room) apply(id ids.ID) Remediation  { return r.through(id, Apply) }
func (r *room) revert(id ids.ID) Remediation { return r.through(id, Revert) }

func (r *room) through(id ids.ID, what func(context.Context, *db.Tx, ids.ID) (Remediation, error)) Remediation {
	r.t.Helper()
	_, err := r.ask(id, what)
	if err == nil {
		_, err = Run(r.t.Context(), r.store, r.operator.Tenant, id, nil)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	got, err := r.ask(id, Get)
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

func (r *room) mark(as db.Scope, id ids.ID, place int, score float64) (Marked, error) {
	var got Marked
	err := r.write(as, func(ctx context.Context, tx *db.Tx) (err error) {
		got, err = Mark(ctx, tx, MarkInput{SubmissionID: id, ItemID: r.item(place).ItemID, Score: score, Comment: "well argued"})
		return err
	})
	return got, err
}

func (r *room) get(id ids.ID) submission.Submission {
	r.t.Helper()
	var got submission.Submission
	err := r.store.Read(r.t.Context(), r.operator, func(tx *db.Tx) (err error) {
		got, err = submission.Get(r.t.Context(), tx, submission.GetInput{ID: id})
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

func (r *room) preview(id ids.ID, action string) (Preview, error) {
	var got Preview
	err := r.store.Read(r.t.Context(), r.reviewer, func(tx *db.Tx) (err error) {
		got, err = Look(r.t.Context(), tx, PreviewInput{ID: id, Action: action})
		return err
	})
	return got, err
}

func (r *room) void(id ids.ID) {
	r.t.Helper()
	err := r.write(r.operator, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "update submissions set status = $3 where tenant_id = $1 and id = $2", tx.Tenant(), id, models.SubmissionVoided)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *room) count(sql string, args ...any) int {
	r.t.Helper()
	var n int
	err := r.store.Read(r.t.Context(), r.operator, func(tx *db.Tx) error {
		dbtest.AllNodes(r.t, tx)
		return tx.QueryRow(r.t.Context(), sql, args...).Scan(&n)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// at gives the item of a submission at a place of the evaluation.
func (r *room) at(s submission.Submission, place int) submission.ItemDetail {
	for _, item := range s.Items {
		if item.ItemID == r.item(place).ItemID {
			return item
		}
	}
	r.t.Fatalf("no item at %d", place)
	return submission.ItemDetail{}
}

func codeOf(err error) errs.Code {
	if err == nil {
		return ""
	}
	return errs.Of(err).Code
}

func ptr[T any](v T) *T { return &v }
