package pack_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// A change without any other change is in the diff: an item's metadata, the order of items, the label of a term, an external id, the
// order of a passage's questions.
func TestADiffNamesWhatChangedAlone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.furnish()
	topic := do(o, o.head, func(_ context.Context, tx *db.Tx) (ids.ID, error) { return sample.Term(t, tx, "topic", "fire"), nil })
	library := func() pack.Library {
		return do(o, o.head, func(ctx context.Context, tx *db.Tx) (pack.Library, error) {
			return pack.GetLibrary(ctx, tx, pack.ByLibrary{LibraryID: o.library})
		})
	}
	type row struct{ Kind, Change, Name string }
	before := o.publish()
	for _, c := range []struct {
		what   string
		change func(context.Context, *db.Tx) error
		want   []row
	}{
		{"nothing but an item's metadata", func(ctx context.Context, tx *db.Tx) error {
			_, err := pack.UpdateItem(ctx, tx, pack.ItemPatch{ByItem: pack.ByItem{ByLibrary: pack.ByLibrary{LibraryID: o.library}, ItemID: library().Items[1].ID}, Metadata: json.RawMessage(`{"grade":6}`)})
			return err
		}, []row{{"item", "changed", "Sample evaluation"}}},
		{"the order of items", func(ctx context.Context, tx *db.Tx) error {
			_, err := pack.UpdateItem(ctx, tx, pack.ItemPatch{ByItem: pack.ByItem{ByLibrary: pack.ByLibrary{LibraryID: o.library}, ItemID: library().Items[1].ID}, Pos: new(int)})
			return err
		}, []row{{"item", "changed", ""}, {"item", "changed", "Sample evaluation"}}},
		{"a label", func(ctx context.Context, tx *db.Tx) error {
			label := "Fires"
			_, err := taxonomy.UpdateTerm(ctx, tx, topic, taxonomy.TermPatch{Label: &label})
			return err
		}, []row{{"term", "changed", "topic:fire"}}},
	} {
		do(o, o.head, func(ctx context.Context, tx *db.Tx) (int, error) { return 0, c.change(ctx, tx) })
		after := o.publish()
		differences := do(o, o.head, func(ctx context.Context, tx *db.Tx) (db.List[pack.Difference], error) {
			return pack.Diff(ctx, tx, pack.DiffInput{RevisionInput: pack.ByRevision(after.LibraryID, after.ID), From: before.ID})
		})
		var got []row
		for _, d := range differences.Items {
			got = append(got, row{d.Kind, d.Change, d.Name})
			if d.Kind == "item" && d.SourceID == nil || d.FromID != nil || d.IsContent {
				t.Errorf("%s: %+v", c.what, d)
			}
		}
		for i := range c.want {
			if c.want[i].Name == "" && i < len(got) {
				c.want[i].Name = got[i].Name
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || differences.Total != len(got) {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
		before = after
	}
}

// A copy has the questions of a passage in the order of the source, including new ones, and after them the org unit's own.
func TestACopyKeepsTheOrderOfAPassage(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var made []ids.ID
	var passage ids.ID
	names := map[ids.ID]string{}
	order := func(as db.Scope, passage ids.ID) []string {
		return do(o, as, func(ctx context.Context, tx *db.Tx) ([]string, error) {
			rows, err := tx.Query(ctx, `select coalesce(q.external_id, 'own') from passage_questions l join questions q on q.tenant_id = $1 and q.id = l.question_id
				where l.tenant_id = $1 and l.passage_id = $2 order by l.position`, tx.Tenant(), passage)
			if err != nil {
				return nil, err
			}
			return pgx.CollectRows(rows, pgx.RowTo[string])
		})
	}
	set := func(ctx context.Context, tx *db.Tx, passage ids.ID, questions []ids.ID) error {
		_, err := authoring.SetPassageQuestions(ctx, tx, passage, authoring.PassageQuestionsInput{QuestionIDs: questions})
		return err
	}
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (int, error) {
		for range 4 {
			q := sample.Draft(t, tx, "A")
			names[q.ID] = q.ExternalID
			made = append(made, q.ID)
		}
		slices.Reverse(made)
		passage = sample.Passage(t, tx, made...).ID
		var evaluations []ids.ID
		for _, id := range made {
			_, err := authoring.PublishQuestion(ctx, tx, id)
			if err != nil {
				return 0, err
			}
			evaluations = append(evaluations, sample.Evaluation(t, tx, id).ID)
		}
		o.evaluations = evaluations[1:]
		o.library = sample.Library(t, tx, o.evaluations...).ID
		offered := true
		_, err := pack.UpdateLibrary(ctx, tx, pack.LibraryPatch{ByLibrary: pack.ByLibrary{LibraryID: o.library}, Offered: &offered})
		o.evaluations = evaluations
		return 0, err
	})
	var want []string
	for _, id := range made {
		want = append(want, names[id])
	}
	o.mustInstall(o.publish(), pack.InstallInput{})
	copied := do(o, o.school, func(ctx context.Context, tx *db.Tx) (ids.ID, error) {
		var id ids.ID
		return id, tx.QueryRow(ctx, "select passage_id from passage_questions where tenant_id = $1 and org_unit_id = $2 limit 1", tx.Tenant(), o.school.OrgUnit).Scan(&id)
	})
	if diff := cmp.Diff(want[1:], order(o.school, copied)); diff != "" {
		t.Errorf("the copy (-source +copy):\n%s", diff)
	}
	do(o, o.head, func(ctx context.Context, tx *db.Tx) (int, error) {
		_, err := pack.AddItem(ctx, tx, pack.ItemInput{ByLibrary: pack.ByLibrary{LibraryID: o.library}, EvaluationID: o.evaluations[0]})
		return 0, err
	})
	do(o, o.school, func(ctx context.Context, tx *db.Tx) (int, error) {
		own := sample.QuestionInput("A")
		own.ExternalID = ""
		q, err := authoring.CreateQuestion(ctx, tx, own)
		if err != nil {
			return 0, err
		}
		rows, err := tx.Query(ctx, "select question_id from passage_questions where tenant_id = $1 and passage_id = $2 order by position", tx.Tenant(), copied)
		if err != nil {
			return 0, err
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
		if err != nil {
			return 0, err
		}
		return 0, set(ctx, tx, copied, append([]ids.ID{q.ID}, all...))
	})
	o.mustInstall(o.publish(), pack.InstallInput{})
	if diff := cmp.Diff(append(want, "own"), order(o.school, copied)); diff != "" {
		t.Errorf("the upgraded copy (-source +copy):\n%s", diff)
	}
	if diff := cmp.Diff(want, order(o.head, passage)); diff != "" {
		t.Errorf("the source:\n%s", diff)
	}
}
