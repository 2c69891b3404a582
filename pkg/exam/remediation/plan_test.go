package remediation

import (
	"context"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// enrolled is how many of the submissions the remediation of the test is about, and others how many
// more there are.
const (
	enrolled = 500
	others   = 20_000
)

// Among twenty thousand submissions of a tenant that all show the question and were corrected and
// marked before, a correction of a few hundred reads only these.
func TestCorrectingReadsNoMoreThanItIsAbout(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	r := newRoomIn(t, store, half())
	one := r.submit(allRight...)
	r.crowd(urls)
	version := 1
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		r.correct(t, plans, one)
		// One by an apply, one by a revert and one by a mark.
		version += 3
		if got := r.get(one); got.ScoreVersion != version {
			t.Errorf("got version %d of the scores, want %d", got.ScoreVersion, version)
		}
	}, urls)
}

// correct applies and reverts a remediation of its own, and marks an answer.
func (r *room) correct(t *testing.T, plans dbtest.Plans, one ids.ID) {
	full := r.draft(RuleFullCredit, essay, Parameters{})
	// Each submission is read by some ten statements.
	reads := func(what string, most int64, do func(tx *db.Tx) error) {
		t.Helper()
		err := r.store.Write(t.Context(), r.reviewer, func(tx *db.Tx) error {
			plans.Force(t, tx)
			dbtest.ByIndex(t, tx, what, most, func() error { return do(tx) },
				"submissions", "submission_items", "score_versions", "item_scores", "item_marks", "remediation_submissions")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	look := func(action string) {
		reads("preview of "+action, 20*enrolled, func(tx *db.Tx) error {
			p, err := Look(t.Context(), tx, PreviewInput{ID: full.ID, Action: action})
			if p.Submissions != enrolled+1 || p.Changed != enrolled+1 {
				t.Errorf("preview of %s: got %+v", action, p)
			}
			return err
		})
	}
	perStep := int64(20 * enrolled)
	if plans == "custom" {
		// An update cannot be made to look up its rows one by one. While nothing is known of the table,
		// but the number of rows to update is, a tenant seems to have fewer submissions than that.
		perStep += others
	}
	steps := func(action string) {
		s := newScorer(full.QuestionVersionID)
		for range enrolled/chunk + 2 {
			reads("a step of "+action, perStep, func(tx *db.Tx) error {
				_, err := s.step(t.Context(), tx, full.ID, chunk)
				return err
			})
		}
	}
	begin := func(action string, do func(*db.Tx) error) {
		reads("the beginning of "+action, 10, do)
	}
	look(ActionApply)
	begin(ActionApply, func(tx *db.Tx) error {
		_, err := Apply(t.Context(), tx, full.ID)
		return err
	})
	steps(ActionApply)
	look(ActionRevert)
	begin(ActionRevert, func(tx *db.Tx) error {
		_, err := Revert(t.Context(), tx, full.ID)
		return err
	})
	steps(ActionRevert)
	// All that came after one that is applied: the submissions of the version.
	after, all := r.draft(RuleAdjust, choice, Parameters{Score: ptr(0.5)}), []ids.ID(nil)
	err := r.write(r.operator, func(ctx context.Context, tx *db.Tx) (err error) {
		_, err = tx.Exec(ctx, "update remediations set state = 'applied', started_by = 'user:x', applied_number = 1 where tenant_id = $1 and id = $2", tx.Tenant(), after.ID)
		if err != nil {
			return err
		}
		all, err = collectIDs(ctx, tx, "select id from submissions where tenant_id = $1 and evaluation_version_id = $2 and user_id <> $3",
			tx.Tenant(), r.snapshot.EvaluationVersionID, r.candidate.Actor.ID)
		return err
	})
	if err != nil || len(all) != enrolled {
		t.Fatalf("got %d submissions and error %v", len(all), err)
	}
	reads("finding the remediations of later submissions", 20*enrolled, func(tx *db.Tx) error { return TakeUp(t.Context(), tx, all) })
	reads("a step of later submissions", perStep, func(tx *db.Tx) error {
		row, _, err := newScorer(after.QuestionVersionID).stepLater(t.Context(), tx, after.ID, chunk)
		if row.DoneN != enrolled {
			t.Errorf("went through %d later submissions, want %d", row.DoneN, enrolled)
		}
		return err
	})
	reads("a mark", 100, func(tx *db.Tx) error {
		_, err := Mark(t.Context(), tx, MarkInput{SubmissionID: one, ItemID: r.item(essay).ItemID, Score: 1})
		return err
	})
	reads("a list of versions", 100, func(tx *db.Tx) error {
		_, err := ListVersions(t.Context(), tx, one, db.Page{})
		return err
	})
}

// crowd writes copies of the only submission: twenty thousand of other evaluation versions, with
// corrections and marks, and the ones that the remediation is about.
func (r *room) crowd(urls dbtest.URLs) {
	r.t.Helper()
	super := dbtest.Heap(r.t, urls)
	for _, insert := range []string{
		`create temp table crowd as select gen_random_uuid() as id, n > 20000 as about from generate_series(1, 20500) n`,
		`create temp table one as select s as row from submissions s`,
		`create temp table item as select i as row, i.qtype from submission_items i`,
		`insert into submissions select copy.* from crowd c, one, jsonb_populate_record(one.row, jsonb_build_object('id', c.id, 'user_id', gen_random_uuid(), 'score_version',
			case when c.about then 1 else 2 end, 'evaluation_version_id', case when c.about then (one.row).evaluation_version_id else gen_random_uuid() end)) copy`,
		`insert into submission_items select copy.* from crowd c, item, jsonb_populate_record(item.row,
			jsonb_build_object('id', gen_random_uuid(), 'submission_id', c.id)) copy where c.about or item.qtype = 'essay'`,
		`insert into score_versions select tenant_id, id, n, org_unit_id, case n when 1 then 'submitted' else 'scored_by_person' end, null, 'user:x',
			score, max_score, outcome_code, outcome_label, completed_at from submissions, generate_series(1, 2) n where score_version = 2`,
		`create temp table marked as select i.* from submission_items i join submissions s on s.id = i.submission_id where s.score_version = 2`,
		`insert into item_scores select tenant_id, submission_id, id, 2, org_unit_id, 'SCORED', 'manual', 1, max_score, false, null, 0, 0, 0 from marked`,
		`insert into item_marks select tenant_id, submission_id, id, 1, org_unit_id, 1, 'user:x', '', 2, now() from marked`,
		`insert into remediation_submissions select tenant_id, gen_random_uuid(), submission_id, org_unit_id, true from marked`,
	} {
		if _, err := super.Exec(r.t.Context(), insert); err != nil {
			r.t.Fatal(err)
		}
	}
}
