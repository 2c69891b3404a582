package submission_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Exact language, parent language, default, each with the locale that was found.
func TestLangResolvesTheSnapshot(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{FeedbackMode: "items", FeedbackPolicy: authoring.FeedbackPolicy{ShowExplanation: true}})
	id := s.submit()
	question := s.snapshot.Sections[0].Items[0].QuestionVersionID.String()
	for _, tt := range []struct{ lang, locale, found, stem, explanation string }{
		{"de", "de", "de", "Was ist es?", "Darum."},
		{"de-ch", "de-CH", "de", "Was ist es?", "Darum."},
		{"fr", "fr", "en", "What is it?", "Because."},
		{"?", "", "en", "What is it?", "Because."},
	} {
		got, err := s.get(s.reader(), submission.GetInput{ID: id, Lang: tt.lang})
		if err != nil {
			t.Fatal(err)
		}
		stem := got.VersionSnapshot.Questions[question].Stem
		if got.Locale != tt.locale || stem.Locale != tt.found || said(stem) != tt.stem || stem.Locales != nil {
			t.Errorf("%s: locale %q, stem %+v", tt.lang, got.Locale, stem)
		}
		own, err := s.get(s.candidate, submission.GetInput{ID: id, Lang: tt.lang})
		if err != nil {
			t.Fatal(err)
		}
		if e := own.Items[0].Explanation; e.Locale != tt.found || said(*e) != tt.explanation {
			t.Errorf("%s: explanation %+v", tt.lang, e)
		}
	}
	whole, err := s.get(s.reader(), submission.GetInput{ID: id})
	if err != nil || whole.Locale != "" || len(whole.VersionSnapshot.Questions[question].Stem.Locales) != 2 {
		t.Errorf("without lang: %+v, %v", whole.VersionSnapshot, err)
	}
}

func said(shown content.Shown) string { return shown.Blocks[0].Children[0].Text }

func TestGetShowsAssignmentRetentionAndHold(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	id := s.submit()
	batch, until, basis := ids.New(), time.Date(2033, 1, 2, 0, 0, 0, 0, time.UTC), "policy:"+ids.New().String()
	sample.Write(t, s.store, s.operator, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `update submissions set batch_id = $3, retain_until = $4, retention_basis = $5, hold_flag = true
			where tenant_id = $1 and id = $2`, tx.Tenant(), id, batch, until, basis)
		return err
	})
	got, err := s.get(s.reader(), submission.GetInput{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if *got.BatchID != batch || !got.RetainUntil.Equal(until) || *got.RetentionBasis != basis || !*got.HoldFlag || got.SnapshotHash == "" {
		t.Errorf("got %+v", got)
	}
}

// The order of the options is the one that the session showed.
func TestGetShowsTheOrderOfOptions(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{ShuffleOptions: true, ShuffleItems: true})
	for range 5 {
		var shown []string
		var id ids.ID
		sample.Write(t, s.store, s.candidate, func(tx *db.Tx) error {
			open := sample.Session(t, tx, s.desk, s.snapshot.EvaluationID)
			for _, item := range open.Sections[0].Items {
				for _, o := range item.Options {
					shown = append(shown, item.ItemID.String()+o.ID)
				}
			}
			done, err := s.desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: s.snapshot.EvaluationID, SessionID: open.ID})
			id = done.SubmissionID
			return err
		})
		got, err := s.get(s.reader(), submission.GetInput{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		for _, item := range got.Items {
			for _, o := range item.OptionOrder {
				kept = append(kept, item.ItemID.String()+o)
			}
		}
		if diff := cmp.Diff(shown, kept); diff != "" {
			t.Errorf("options (-shown +kept):\n%s", diff)
		}
		if got.Items[0].SectionID != s.snapshot.Sections[0].ID {
			t.Error("the item names no section")
		}
	}
}
