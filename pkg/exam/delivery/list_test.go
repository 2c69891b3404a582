package delivery_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/delivery"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (r *room) list(as db.Scope, f delivery.Filter) (db.List[delivery.Summary], error) {
	var got db.List[delivery.Summary]
	err := r.store.Read(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = delivery.List(r.t.Context(), tx, r.snapshot.EvaluationID, f)
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
		s, err := r.tryStart(proctor, delivery.StartInput{EvaluationID: r.snapshot.EvaluationID, UserID: &as.Actor.ID, RunLabel: ptr("run")})
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
		f     delivery.Filter
		want  []int
		total int
	}{
		{"all, newest first", proctor, delivery.Filter{}, []int{4, 3, 2, 1, 0}, 5},
		{"first page", proctor, delivery.Filter{Page: db.Page{Page: 1, Limit: 3}}, []int{4, 3, 2}, 5},
		{"second page", proctor, delivery.Filter{Page: db.Page{Page: 2, Limit: 3}}, []int{1, 0}, 5},
		{"open", proctor, delivery.Filter{State: "open"}, []int{4, 3}, 2},
		{"time over counts as expired", proctor, delivery.Filter{State: "expired"}, []int{1}, 1},
		{"closed", proctor, delivery.Filter{State: "closed"}, []int{2}, 1},
		{"of a person", proctor, delivery.Filter{UserID: &other.Actor.ID}, []int{1}, 1},
		{"of an assignment", proctor, delivery.Filter{AssignmentID: ptr(ids.New())}, nil, 0},
		{"of a run", proctor, delivery.Filter{RunLabel: ptr("run")}, []int{3, 2, 1, 0}, 4},
		{"of another run", proctor, delivery.Filter{RunLabel: ptr("walk")}, nil, 0},
		{"without a run", proctor, delivery.Filter{RunLabel: ptr("")}, []int{4}, 1},
		{"a candidate's own", other, delivery.Filter{}, []int{1}, 1},
		{"not another's", other, delivery.Filter{UserID: &r.candidate.Actor.ID}, nil, 0},
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
	_, err := r.list(proctor, delivery.Filter{State: "lost", Page: db.Page{Limit: 1000}})
	wantCode(t, err, errs.ValidationFailed)
	if n := len(errs.Of(err).Fields); n != 2 {
		t.Errorf("%d problems, want 2", n)
	}
	_, err = r.list(r.person(), delivery.Filter{})
	wantCode(t, err, errs.Forbidden)
	_, err = r.list(sample.As(sample.Tenant(t, r.store), ids.New(), capability.SessionsProctor), delivery.Filter{})
	wantCode(t, err, errs.NotFound)
}
