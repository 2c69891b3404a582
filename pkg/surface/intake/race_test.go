package intake

import (
	"context"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
)

// Somebody archives a question after the import has looked at its row and before it writes
// it: the rows that are valid all the same go in, and the other is named.
func TestWhatChangesBehindThePlanIsLeftOut(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	const header = "externalId,qtype,stem,optionA,optionB,correct\n"
	commit := func(k kind[question], file string, skip bool) (done Commit, err error) {
		err = store.Write(t.Context(), scope, func(tx *db.Tx) error {
			done, err = k.commit(t.Context(), tx, Input{Data: []byte(header + file), SkipInvalid: skip})
			return err
		})
		return done, err
	}
	_, err := commit(questions, "q1,mcq,One?,a,b,A\n", false)
	if err != nil {
		t.Fatal(err)
	}
	raced := questions
	raced.plan = func(ctx context.Context, tx *db.Tx, in Input, f *file) ([]record[question], error) {
		records, err := planQuestions(ctx, tx, in, f)
		sample.Write(t, store, scope, func(other *db.Tx) error {
			found, err := authoring.FindQuestions(ctx, other, []string{"q1"})
			if err == nil {
				_, err = inventory.Archive(ctx, other, inventory.Questions, found["q1"])
			}
			return err
		})
		return records, err
	}
	done, err := commit(raced, "q1,mcq,Two?,a,b,A\nq2,mcq,Two?,a,b,A\nq3,mcq,Three?,a,b,A\n", true)
	if err != nil || done.Created != 2 || done.Skipped != 1 || len(done.Errors) != 1 || done.Errors[0].Line != 2 || done.Errors[0].Code != "archived" {
		t.Errorf("got %+v, %v; want q2 and q3 made and line 2 archived", done, err)
	}
}
