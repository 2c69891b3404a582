package pack_test

import (
	"context"
	"sync/atomic"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/author/media"
	"assess/pkg/author/pack"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// office is a tenant with a head office, which has a library, and a school.
type office struct {
	t            *testing.T
	store        *db.Store
	head, school db.Scope
	files        *media.Files
	folder       string // of the files
	library      ids.ID
	evaluations  []ids.ID
	// deadlocks is the number of transactions that lost a deadlock, and ran again.
	deadlocks atomic.Int64
}

func newOffice(t *testing.T) *office {
	t.Helper()
	return officeOn(t, sample.Store(t))
}

func officeOn(t *testing.T, store *db.Store) *office {
	t.Helper()
	o := &office{t: t, store: store}
	all := sample.Tenant(t, o.store)
	o.head, o.school = all, all
	o.head.All, o.school.All = false, false
	sample.Write(t, o.store, all, func(tx *db.Tx) error {
		o.school.OrgUnit = sample.OrgUnit(t, tx, "school").ID
		return nil
	})
	o.folder = t.TempDir()
	blobs, err := blob.Open(t.Context(), "file://"+o.folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() }) //nolint:errcheck // a folder of the test
	o.files = media.NewFiles(store, blobs)
	return o
}

func do[T any](o *office, as db.Scope, fn func(context.Context, *db.Tx) (T, error)) T {
	o.t.Helper()
	got, err := try(o, as, fn)
	if err != nil {
		o.t.Fatalf("%v", err)
	}
	return got
}

func try[T any](o *office, as db.Scope, fn func(context.Context, *db.Tx) (T, error)) (T, error) {
	o.t.Helper()
	var got T
	again := false
	err := o.store.Write(o.t.Context(), as, func(tx *db.Tx) error {
		if again {
			o.deadlocks.Add(1)
		}
		again = true
		var err error
		got, err = fn(o.t.Context(), tx)
		return err
	})
	return got, err
}

// furnish makes an evaluation with everything that content can have, and offers it in a library.
func (o *office) furnish() {
	o.t.Helper()
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (int, error) {
		o.evaluations = append(o.evaluations, rich(o.t, tx, o.files).ID, sample.Evaluation(o.t, tx, sample.Question(o.t, tx, "A").ID).ID)
		l, err := pack.CreateLibrary(ctx, tx, pack.LibraryInput{Name: "Fire safety", Offered: true})
		if err != nil {
			return 0, err
		}
		o.library = l.ID
		for _, e := range o.evaluations {
			_, err = pack.AddItem(ctx, tx, pack.ItemInput{ByLibrary: pack.ByLibrary{LibraryID: l.ID}, EvaluationID: e, Metadata: []byte(`{"grade":5}`)})
			if err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
}

// rich is an evaluation with terms, images, a passage, a draw, weights and settings of all kinds.
func rich(t *testing.T, tx *db.Tx, files *media.Files) authoring.Evaluation {
	t.Helper()
	topic, other := sample.Term(t, tx, "topic", "fire"), sample.Term(t, tx, "level", "basic")
	image := sample.Image(t, tx, files)
	first := sample.Pictured(t, tx, image.ID, ids.None, topic)
	about := []ids.ID{sample.Draft(t, tx, "A", "B").ID, sample.Draft(t, tx, "C").ID}
	passage := sample.Passage(t, tx, about...)
	for _, id := range about {
		_, err := authoring.PublishQuestion(t.Context(), tx, id)
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		in := sample.QuestionInput("B")
		in.TaxonomyTermIDs = []ids.ID{other}
		q, err := authoring.CreateQuestion(t.Context(), tx, in)
		if err == nil {
			_, err = authoring.PublishQuestion(t.Context(), tx, q.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	mark, weight, limit := 60.0, 2.5, 900
	in := sample.EvaluationInput(first.ID)
	in.TaxonomyTermIDs = []ids.ID{topic}
	in.Sections = append(in.Sections, authoring.SectionInput{Title: "Read and draw", TimeLimitSeconds: &limit, Items: []authoring.ItemInput{
		{PassageID: passage.ID, Weight: &weight}, {Draw: &authoring.Draw{Count: 2, TaxonomyTermIDs: []ids.ID{other}}}}})
	in.Settings = authoring.Settings{PassMarkPercent: &mark, FeedbackMode: "tags", FeedbackTagKeys: []string{"topic", "level"}, ShuffleItems: true}
	e, err := authoring.CreateEvaluation(t.Context(), tx, in)
	if err == nil {
		e, err = authoring.PublishEvaluation(t.Context(), tx, e.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (o *office) publish() pack.Revision {
	o.t.Helper()
	return do(o, o.head, func(ctx context.Context, tx *db.Tx) (pack.Revision, error) {
		return pack.Publish(ctx, tx, pack.ByLibrary{LibraryID: o.library})
	})
}

func (o *office) install(r pack.Revision, in pack.InstallInput) (pack.Installation, error) {
	o.t.Helper()
	in.LibraryID, in.RevisionID = r.LibraryID, r.ID
	if in.OrgUnitID == ids.None {
		in.OrgUnitID = o.school.OrgUnit
	}
	return try(o, o.school, func(ctx context.Context, tx *db.Tx) (pack.Installation, error) { return pack.Install(ctx, tx, in) })
}

func (o *office) mustInstall(r pack.Revision, in pack.InstallInput) pack.Installation {
	o.t.Helper()
	got, err := o.install(r, in)
	if err != nil {
		o.t.Fatal(err)
	}
	return got
}
