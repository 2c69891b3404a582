package projection

import (
	"context"
	"slices"
	"testing"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// An answer that waits for a person to score it holds up the score of an attempt, unless it adds
// nothing to it; and no answer to a survey question is wrong, however few give the one in its key.
func TestSurveyItemsAreNotJudged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	asked, scored := question{id: ids.New(), qtype: "mcq", right: 1, survey: true}, question{id: ids.New(), qtype: "mcq", right: 1}
	told := question{id: ids.New(), qtype: "essay", survey: true}
	essay := question{id: ids.New(), qtype: "essay"}
	w.addVersion(t, w.orgs[0], []question{asked, scored, told})
	w.addVersion(t, w.orgs[0], []question{essay})
	first, waiting := w.versions[3], w.versions[4]
	w.take(t, first, 60, answer{question: asked, options: []string{"B"}, status: "SCORED"},
		answer{question: scored, options: []string{"B"}, status: "SCORED"}, answer{question: told, status: "PENDING"})
	w.take(t, waiting, 1, answer{question: essay, status: "PENDING"})
	w.drain(t, 100)
	if n := w.count(t, "select count(*)::int from report_submissions where tenant_id = $1 and is_scored", w.tenant); n != 60 {
		t.Errorf("%d attempts are scored, want the 60 in which only survey items wait", n)
	}
	for _, c := range []struct {
		question question
		want     bool
	}{{asked, false}, {scored, true}} {
		if got := w.flags(t, c.question.id); slices.Contains(got, "TOO_HARD") != c.want || slices.Contains(got, "DISTRACTOR_DOMINANCE") != c.want {
			t.Errorf("survey %t: flags %v", c.question.survey, got)
		}
		measured := w.measured(t, c.question.id)
		if slices.ContainsFunc(measured.Health.Flags, func(f Flag) bool { return f.Code == "TOO_HARD" }) != c.want {
			t.Errorf("survey %t, counted together: flags %+v", c.question.survey, measured.Health.Flags)
		}
	}
	_, err := RecomputeAll(t.Context(), w.store, w.tenant)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.flags(t, asked.id); len(got) > 0 {
		t.Errorf("after the percentiles: flags %v", got)
	}
	if r := w.verify(t); r.Differences != 0 {
		t.Errorf("the tables differ from a rebuild: %+v", r.Tables)
	}
}

// An import that brought no times leaves the duration unknown; an attempt that is handed in at once
// took no time.
func TestImportsWithoutTimesHaveNoDuration(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	var all []attempt
	for range 2 {
		s := attempt{id: ids.New(), version: w.versions[0], user: w.users[0], outcome: "pass", startedAt: epoch, completedAt: epoch}
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			err := w.start(ctx, tx, s)
			if err != nil {
				return err
			}
			return w.submit(ctx, tx, s)
		})
		all = append(all, s)
	}
	w.exec(t, "update submissions set completion_method = 'imported' where tenant_id = $1 and id = $2", w.tenant, all[0].id)
	w.drain(t, 10)
	for i, want := range []int{0, 1} {
		if n := w.count(t, "select count(duration_ms)::int from report_submissions where tenant_id = $1 and submission_id = $2", w.tenant, all[i].id); n != want {
			t.Errorf("attempt %d: the duration is known: %d, want %d", i, n, want)
		}
	}
}

// flags lists the flags of a question in the first org unit.
func (w *world) flags(t *testing.T, question ids.ID) []string {
	t.Helper()
	var codes []string
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		var rows []models.QuestionHealth
		err := tx.NewSelect().Model(&rows).Where("tenant_id = ?", w.tenant).Where("org_unit_id = ?", w.orgs[0]).
			Where("question_version_id = ?", question).Scan(ctx)
		for _, f := range rows[0].Flags {
			codes = append(codes, f.Code)
		}
		return err
	})
	return codes
}

// measured counts the question in all org units together.
func (w *world) measured(t *testing.T, question ids.ID) Measured {
	t.Helper()
	var all []Measured
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		var err error
		all, err = Measure(ctx, tx, Filter{Questions: []ids.ID{question}}, ForDetail)
		return err
	})
	return all[0]
}
