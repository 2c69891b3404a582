package session_test

import (
	"testing"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// author publishes an evaluation through the author's operations and makes it the room's.
func (r *room) author(change func(tx *db.Tx, in *authoring.EvaluationInput), questions int) {
	r.t.Helper()
	sample.Write(r.t, r.store, r.operator, func(tx *db.Tx) error {
		var all []ids.ID
		for range questions {
			all = append(all, sample.Question(r.t, tx, "A").ID)
		}
		in := sample.EvaluationInput(all...)
		change(tx, &in)
		e, err := authoring.CreateEvaluation(r.t.Context(), tx, in)
		if err != nil {
			return err
		}
		e, err = authoring.PublishEvaluation(r.t.Context(), tx, e.ID)
		if err != nil {
			return err
		}
		snapshot, err := authoring.LoadSnapshot(r.t.Context(), tx, e.Published.ID)
		r.snapshot = *snapshot
		return err
	})
}

// timedRoom has two sections of one item with 60 s each, and a third one without a limit.
func timedRoom(t *testing.T, navigation string) *room {
	t.Helper()
	r := newRoom(t, authoring.Settings{})
	r.author(func(_ *db.Tx, in *authoring.EvaluationInput) {
		items := in.Sections[0].Items
		in.Settings.Navigation = navigation
		in.Sections = []authoring.SectionInput{
			{Title: "One", TimeLimitSeconds: ptr(60), Items: items[:1]},
			{Title: "Two", TimeLimitSeconds: ptr(60), Items: items[1:2]},
			{Title: "Three", Items: items[2:]},
		}
	}, 3)
	return r
}

func (r *room) startSection(open ids.ID, section int) (session.SectionTime, error) {
	var got session.SectionTime
	err := r.store.Write(r.t.Context(), r.candidate, func(tx *db.Tx) error {
		var err error
		got, err = r.desk.StartSection(r.t.Context(), tx, session.StartSectionInput{
			EvaluationID: r.snapshot.EvaluationID, SessionID: open, SectionID: r.snapshot.Sections[section].ID})
		return err
	})
	return got, err
}

// in gives the item of a section.
func (r *room) in(section int) ids.ID { return r.snapshot.Sections[section].Items[0].ItemID }

// later lets seconds pass for the sections of a session.
func (r *room) later(open ids.ID, seconds int) {
	r.t.Helper()
	r.exec(`update sessions set section_starts = (select jsonb_object_agg(key, to_jsonb(value::timestamptz - make_interval(secs => $2)))
		from jsonb_each_text(section_starts)) where id = $1`, open, seconds)
}

func TestAnswersToASectionWhoseTimeIsOverAreRefused(t *testing.T) {
	t.Parallel()
	r := timedRoom(t, "free")
	s := r.start(r.candidate)
	if one := s.Sections[0]; one.DeadlineAt == nil || one.DeadlineAt.Sub(s.StartedAt) != time.Minute || s.Sections[1].StartedAt != nil {
		t.Fatalf("the first section alone begins with the session: %+v", s.Sections)
	}
	_, err := r.save(r.candidate, s.ID, answer(r.in(0), 1, choseA))
	if err != nil {
		t.Fatal(err)
	}
	r.later(s.ID, 61)
	_, err = r.save(r.candidate, s.ID, answer(r.in(1), 1, choseA), answer(r.in(0), 2, `{"optionIds":["B"]}`))
	wantCode(t, err, errs.SectionTimeOver)
	if got := errs.Of(err).Details["sectionIds"].([]ids.ID); len(got) != 1 || got[0] != s.Sections[0].ID {
		t.Errorf("details name %v, want the first section", got)
	}
	now, err := r.get(r.candidate, s.ID)
	if err != nil || len(now.Answers) != 1 || now.Revision != 1 || now.Sections[1].StartedAt != nil {
		t.Fatalf("something was saved: %+v, %v", now, err)
	}
	for i, section := range []int{1, 2} {
		_, err = r.save(r.candidate, s.ID, answer(r.in(section), int64(i+1), choseA))
		if err != nil {
			t.Fatal(err)
		}
	}
	done, err := r.submit(r.candidate, s.ID, nil)
	if err != nil || *done.Score != 3 {
		t.Errorf("what was saved in time counts: %+v, %v", done, err)
	}
}

func TestSectionBeginsOnceByTheServersClock(t *testing.T) {
	t.Parallel()
	r := timedRoom(t, "free")
	s := r.start(r.candidate)
	begun, err := r.startSection(s.ID, 1)
	if err != nil || begun.DeadlineAt.Sub(begun.StartedAt) != time.Minute {
		t.Fatalf("got %+v, %v", begun, err)
	}
	r.later(s.ID, 50)
	again, err := r.startSection(s.ID, 1)
	if err != nil || begun.DeadlineAt.Sub(*again.DeadlineAt) != 50*time.Second {
		t.Fatalf("beginning again: %+v, %v; want the first deadline", again, err)
	}
	_, err = r.save(r.candidate, s.ID, answer(r.in(1), 1, choseA))
	if err != nil {
		t.Fatal(err)
	}
	now, err := r.get(r.candidate, s.ID)
	if err != nil || !now.Sections[1].DeadlineAt.Equal(*again.DeadlineAt) {
		t.Errorf("an answer moved the deadline: %+v, %v", now.Sections[1], err)
	}
	r.later(s.ID, 11)
	_, err = r.save(r.candidate, s.ID, answer(r.in(1), 2, choseA))
	wantCode(t, err, errs.SectionTimeOver)
	open, err := r.startSection(s.ID, 2)
	if err != nil || open.DeadlineAt != nil {
		t.Errorf("a section without a limit: %+v, %v", open, err)
	}
}

func TestFirstAnswerBeginsItsSection(t *testing.T) {
	t.Parallel()
	r := timedRoom(t, "free")
	s := r.start(r.candidate)
	_, err := r.save(r.candidate, s.ID, answer(r.in(1), 1, choseA))
	if err != nil {
		t.Fatal(err)
	}
	now, err := r.get(r.candidate, s.ID)
	if err != nil || now.Sections[1].DeadlineAt == nil {
		t.Fatalf("got %+v, %v", now.Sections[1], err)
	}
	r.later(s.ID, 61)
	_, err = r.save(r.candidate, s.ID, answer(r.in(1), 2, choseA))
	wantCode(t, err, errs.SectionTimeOver)
}

func TestBeginningASectionLeavesThoseBeforeIt(t *testing.T) {
	t.Parallel()
	r := timedRoom(t, "linear")
	s := r.start(r.candidate)
	_, err := r.startSection(s.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.save(r.candidate, s.ID, answer(r.in(0), 1, choseA))
	wantCode(t, err, errs.ItemLeft)
	_, err = r.save(r.candidate, s.ID, answer(r.in(1), 1, choseA))
	if err != nil {
		t.Error(err)
	}
}

func TestExtraTimeCountsForSectionsToo(t *testing.T) {
	t.Parallel()
	r := timedRoom(t, "free")
	s := r.start(r.candidate)
	r.later(s.ID, 61)
	r.exec("update sessions set extra_time_seconds = 30 where id = $1", s.ID)
	_, err := r.save(r.candidate, s.ID, answer(r.in(0), 1, choseA))
	if err != nil {
		t.Fatal(err)
	}
	r.later(s.ID, 30)
	_, err = r.save(r.candidate, s.ID, answer(r.in(0), 2, choseA))
	wantCode(t, err, errs.SectionTimeOver)
}

// An exam without section times pays nothing for them.
func TestSectionTimesAreKeptOnlyWhereThereAreSome(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	_, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, choseA))
	if err != nil {
		t.Fatal(err)
	}
	var none bool
	r.scan("select section_starts is null and furthest is null and drawn is null from sessions where tenant_id = $1 and id = $2", s.ID, &none)
	if !none {
		t.Error("a plain session keeps section times, places or draws")
	}
}
