package submission_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// correct gives the items at these places new scores, out of 1 each.
func (s *shelf) correct(id ids.ID, scores map[int]float64) {
	s.t.Helper()
	before, err := s.get(s.reader(), submission.GetInput{ID: id})
	if err != nil {
		s.t.Fatal(err)
	}
	c := submission.Rescoring{SubmissionID: id, Result: scoring.Result{MaxScore: *before.MaxScore, OutcomeCode: scoring.Pass, OutcomeLabel: "Pass"}}
	for place, item := range before.Items {
		score, changed := scores[place]
		if !changed {
			c.Result.Score += *item.Score
			continue
		}
		c.Result.Score += score
		c.Items = append(c.Items, submission.CorrectedItem{ID: item.ID,
			Score: scoring.Item{Status: scoring.Scored, Method: "manual", Score: score, MaxScore: 1, IsCorrect: score == 1}})
	}
	err = s.store.Write(s.t.Context(), s.operator, func(tx *db.Tx) error {
		return submission.Rescore(s.t.Context(), tx, submission.Cause{Reason: models.ScoredByPerson, Actor: "operator:test"}, []submission.Rescoring{c})
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestARescoringIsANewVersionAndOverwritesNothing(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{PassMarkPercent: ptr(50.0)})
	id, other := s.submit(`{"optionIds":["B"]}`), s.submit(`{"optionIds":["B"]}`)
	s.correct(id, map[int]float64{0: 1})
	s.correct(id, map[int]float64{0: 0.25, 1: 1})
	got, err := s.get(s.reader(), submission.GetInput{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	type version struct {
		Number  int
		Reason  string
		Score   float64
		Outcome string
	}
	var versions []version
	for _, v := range got.ScoreVersions {
		versions = append(versions, version{v.Number, v.Reason, v.Score, v.OutcomeCode})
	}
	want := []version{{3, "scored_by_person", 1.25, "pass"}, {2, "scored_by_person", 1, "pass"}, {1, "submitted", 0, "fail"}}
	if diff := cmp.Diff(want, versions); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	if got.ScoreVersion != 3 || *got.Score != 1.25 || got.OutcomeCode != "pass" || *got.Items[0].Score != 0.25 || *got.Items[1].Score != 1 {
		t.Errorf("the newest scores: got version %d, %v %s, items %v and %v", got.ScoreVersion, *got.Score, got.OutcomeCode, *got.Items[0].Score, *got.Items[1].Score)
	}
	kept := s.strings("select score::float8::text from submission_items where tenant_id = $1 and submission_id = $2 order by position", id)
	if diff := cmp.Diff([]string{"0", "0"}, kept); diff != "" {
		t.Errorf("the items of the submit (-want +got):\n%s", diff)
	}
	untouched, err := s.get(s.reader(), submission.GetInput{ID: other})
	if err != nil || untouched.ScoreVersion != 1 || len(untouched.ScoreVersions) != 1 || *untouched.Score != 0 {
		t.Errorf("another submission: got %+v and error %v", untouched.ScoreVersions, err)
	}
}

func TestACandidateSeesTheNewestScoreAndNotItsHistory(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{FeedbackMode: "items"})
	id := s.submit(`{"optionIds":["B"]}`)
	s.correct(id, map[int]float64{0: 1})
	got, err := s.get(s.candidate, submission.GetInput{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if *got.Score != 1 || *got.Items[0].Score != 1 || got.ScoreVersions != nil || got.ScoreVersion != 0 {
		t.Errorf("got score %v, item %v, versions %v", *got.Score, *got.Items[0].Score, got.ScoreVersions)
	}
}

func TestARescoringChangesTheStateHashAndQueuesProjection(t *testing.T) {
	t.Parallel()
	s := newShelf(t, authoring.Settings{})
	id := s.submit(`{"optionIds":["B"]}`)
	first, queued := s.hash(id), "select id::text from projection_outbox where tenant_id = $1 and subject_id = $2"
	before := len(s.strings(queued, id))
	s.correct(id, map[int]float64{0: 1})
	if second := s.hash(id); second.StateHash == first.StateHash || second.ScoreVersion != 2 {
		t.Errorf("got hash %s at version %d after %s", second.StateHash, second.ScoreVersion, first.StateHash)
	}
	if got := len(s.strings(queued, id)); got != before+1 {
		t.Errorf("outbox rows: got %d, want %d", got, before+1)
	}
}

// strings reads one column of text; $1 is the tenant and $2 the id.
func (s *shelf) strings(sql string, id ids.ID) []string {
	s.t.Helper()
	var all []string
	err := s.store.Read(s.t.Context(), s.operator, func(tx *db.Tx) error {
		rows, err := tx.Query(s.t.Context(), sql, tx.Tenant(), id)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}
