package session_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (r *room) list(as db.Scope, f session.Filter) (db.List[session.Summary], error) {
	var got db.List[session.Summary]
	err := r.store.Read(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = session.List(r.t.Context(), tx, r.snapshot.EvaluationID, f)
		return err
	})
	return got, err
}

func TestListNarrowsAndPages(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{TimeLimitSeconds: ptr(600)}, sample.Choice("A"))
	proctor, other := r.person(capability.SessionsProctor), r.person(capability.SessionsTake)
	var all []ids.ID
	for _, as := range []db.Scope{r.candidate, other, r.candidate, r.candidate} {
		s, err := r.tryStart(proctor, session.StartInput{EvaluationID: r.snapshot.EvaluationID, UserID: &as.Actor.ID, RunLabel: ptr("run")})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s.ID)
	}
	if _, err := r.submit(r.candidate, all[0], nil); err != nil {
		t.Fatal(err)
	}
	r.overrun(all[1])
	if _, err := r.close(proctor, all[2], "why not"); err != nil {
		t.Fatal(err)
	}
	all = append(all, r.start(r.person(capability.SessionsTake)).ID)
	tests := []struct {
		name  string
		as    db.Scope
		f     session.Filter
		want  []int
		total int
	}{
		{"all, newest first", proctor, session.Filter{}, []int{4, 3, 2, 1, 0}, 5},
		{"first page", proctor, session.Filter{Page: db.Page{Page: 1, Limit: 3}}, []int{4, 3, 2}, 5},
		{"second page", proctor, session.Filter{Page: db.Page{Page: 2, Limit: 3}}, []int{1, 0}, 5},
		{"open", proctor, session.Filter{State: "open"}, []int{4, 3}, 2},
		{"time over counts as expired", proctor, session.Filter{State: "expired"}, []int{1}, 1},
		{"closed", proctor, session.Filter{State: "closed"}, []int{2}, 1},
		{"of a person", proctor, session.Filter{UserID: &other.Actor.ID}, []int{1}, 1},
		{"of an assignment", proctor, session.Filter{AssignmentID: ptr(ids.New())}, nil, 0},
		{"of a run", proctor, session.Filter{RunLabel: ptr("run")}, []int{3, 2, 1, 0}, 4},
		{"of another run", proctor, session.Filter{RunLabel: ptr("walk")}, nil, 0},
		{"without a run", proctor, session.Filter{RunLabel: ptr("")}, []int{4}, 1},
		{"a candidate's own", other, session.Filter{}, []int{1}, 1},
		{"not another's", other, session.Filter{UserID: &r.candidate.Actor.ID}, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := r.list(tt.as, tt.f)
			if err != nil {
				t.Fatal(err)
			}
			var want, rows []ids.ID
			for _, i := range tt.want {
				want = append(want, all[i])
			}
			for _, s := range got.Items {
				rows = append(rows, s.ID)
			}
			if diff := cmp.Diff(want, rows); diff != "" || got.Total != tt.total || got.Items == nil {
				t.Errorf("total %d, want %d (-want +got):\n%s", got.Total, tt.total, diff)
			}
		})
	}
	_, err := r.list(proctor, session.Filter{State: "lost", Page: db.Page{Limit: 1000}})
	wantCode(t, err, errs.ValidationFailed)
	if n := len(errs.Of(err).Fields); n != 2 {
		t.Errorf("%d problems, want 2", n)
	}
	_, err = r.list(r.person(), session.Filter{})
	wantCode(t, err, errs.Forbidden)
	_, err = r.list(sample.As(sample.Tenant(t, r.store), ids.New(), capability.SessionsProctor), session.Filter{})
	wantCode(t, err, errs.NotFound)
}
