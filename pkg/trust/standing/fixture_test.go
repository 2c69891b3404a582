package standing_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"assess/config"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/review"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
	"assess/pkg/trust/standing"
)

// bench is a tenant with a candidate, and the people who look after the submissions.
type bench struct {
	urls dbtest.URLs
	*testing.T
	store                            *db.Store
	boss, candidate, reviewer, clerk db.Scope
	desk                             *session.Desk
	files                            *evidence.Files
}

func newBench(t *testing.T) *bench {
	t.Helper()
	urls := dbtest.Clone(t)
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 8})
	b := &bench{T: t, store: store, urls: urls, boss: sample.Tenant(t, store), desk: session.NewDesk()}
	blobs, err := blob.Open(t.Context(), "file://"+filepath.Join(t.TempDir(), "blob"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	b.files = evidence.NewFiles(store, blobs, config.Default().Blob)
	b.do(b.boss, func(tx *db.Tx) error {
		b.candidate = sample.As(b.boss, sample.User(t, tx).ID, capability.SessionsTake)
		b.reviewer = sample.As(b.boss, sample.User(t, tx).ID, capability.SubmissionsRead, capability.SubmissionsReview, capability.SubmissionsVoid,
			capability.EvidenceRead, capability.EvidenceManage)
		b.reviewer.Context = &db.Context{Kind: policy.BySession}
		b.clerk = sample.As(b.boss, sample.User(t, tx).ID, capability.EvidenceManage)
		return nil
	})
	return b
}

func (b *bench) do(scope db.Scope, fn func(tx *db.Tx) error) {
	b.Helper()
	sample.Write(b, b.store, scope, fn)
}

// submit takes an exam of the settings with the right answer, unless it says otherwise.
func (b *bench) submit(settings authoring.Settings, said *db.Context, answer string) ids.ID {
	b.Helper()
	var s authoring.Snapshot
	b.do(b.boss, func(tx *db.Tx) error {
		s = sample.Published(b, tx, settings, sample.Choice("A"))
		return nil
	})
	scope := b.candidate
	scope.Context = said
	var id ids.ID
	b.do(scope, func(tx *db.Tx) error {
		id = sample.Submission(b, tx, b.desk, s, `{"optionIds":["`+answer+`"]}`).SubmissionID
		return nil
	})
	return id
}

func (b *bench) get(scope db.Scope, in submission.GetInput) standing.Submission {
	b.Helper()
	var got standing.Submission
	b.do(scope, func(tx *db.Tx) error {
		var err error
		got, err = standing.Get(b.Context(), tx, in)
		return err
	})
	return got
}

func (b *bench) reasons(id ids.ID) []string {
	b.Helper()
	var got standing.Readiness
	b.do(b.reviewer, func(tx *db.Tx) error {
		var err error
		got, err = standing.Of(b.Context(), tx, id)
		return err
	})
	return got.ProofReadiness.Reasons
}

// attach adds a file of a kind to a submission.
func (b *bench) attach(id ids.ID, kind string) evidence.Evidence {
	b.Helper()
	received, err := blob.Receive(bytes.NewReader(sample.PNG(8, 8)), 1<<20)
	if err != nil {
		b.Fatal(err)
	}
	defer received.Close() //nolint:errcheck // only read from
	in := evidence.AttachInput{SubmissionID: id, Kind: kind}
	kept, err := b.files.Keep(b.Context(), b.reviewer, in, received, "image/png")
	if err != nil {
		b.Fatal(err)
	}
	var made evidence.Evidence
	b.do(b.reviewer, func(tx *db.Tx) error {
		made, err = evidence.Attach(b.Context(), tx, in, kept)
		return err
	})
	return made
}

func (b *bench) setPolicy(v policy.Verification) {
	b.Helper()
	b.do(b.boss, func(tx *db.Tx) error {
		_, err := policy.SetVerificationOf(b.Context(), tx, v)
		return err
	})
}

func half() authoring.Settings {
	pass := 50.0
	return authoring.Settings{PassMarkPercent: &pass}
}

// check holds a file against its hash.
func (b *bench) check(id ids.ID) {
	b.Helper()
	found, err := b.files.Check(b.Context(), b.reviewer, id)
	if err != nil {
		b.Fatal(err)
	}
	b.do(b.reviewer, func(tx *db.Tx) error {
		_, err := evidence.RecordChecks(b.Context(), tx, found)
		return err
	})
}

// decide decides as an operator: no policy requires anything of one.
func (b *bench) decide(decision func(context.Context, *db.Tx, review.Input) (review.Result, error), id ids.ID) {
	b.Helper()
	b.do(b.boss, func(tx *db.Tx) error {
		_, err := decision(b.Context(), tx, review.Input{SubmissionID: id, Comment: "looked at"})
		return err
	})
}

func (b *bench) raise(as db.Scope, kind evidence.CaseKind, id ids.ID, findings ...ids.ID) ids.ID {
	b.Helper()
	as.Context = &db.Context{Kind: policy.BySession}
	var raised evidence.Case
	b.do(as, func(tx *db.Tx) error { raised = sample.Case(b, tx, kind, id, findings...); return nil })
	return raised.ID
}

func (b *bench) settle(how func(context.Context, *db.Tx, evidence.CaseKind, evidence.DecideInput) (evidence.Case, error), kind evidence.CaseKind, id ids.ID) {
	b.Helper()
	b.do(b.boss, func(tx *db.Tx) error {
		_, err := how(b.Context(), tx, kind, evidence.DecideInput{ID: id, Comment: "looked at"})
		return err
	})
}

// keep writes down the executions, as the projector does.
func (b *bench) keep(all ...ids.ID) {
	b.Helper()
	b.do(b.boss, func(tx *db.Tx) error {
		found, err := standing.Read(b.Context(), tx, all)
		if err != nil {
			return err
		}
		return standing.KeepExecutions(b.Context(), tx, found)
	})
}
