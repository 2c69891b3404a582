package assignment_test

import (
	"context"
	"testing"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// Everything that hands out to a group that is just being deleted finds it gone.
func TestNothingIsAssignedToAGroupThatIsDeletedAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	for name, assign := range map[string]func(ctx context.Context, tx *db.Tx, group ids.ID) error{
		"an assignment": func(ctx context.Context, tx *db.Tx, group ids.ID) error {
			in := assignment.CreateInput{Type: models.TargetGroup, Ref: group.String()}
			in.EvaluationID = d.evaluation
			_, err := assignment.Create(ctx, tx, in)
			return err
		},
		"a schedule": func(ctx context.Context, tx *db.Tx, group ids.ID) error {
			_, err := assignment.CreateSchedule(ctx, tx, d.daily(models.TargetGroup, group.String()))
			return err
		},
		"an import by id": func(ctx context.Context, tx *db.Tx, group ids.ID) error {
			row := assignment.ImportRow{Evaluation: d.evaluation.String(), Target: assignment.Target{Type: models.TargetGroup, Ref: group.String()}}
			_, err := assignment.Import(ctx, tx, []assignment.ImportRow{row}, assignment.ImportOptions{})
			return err
		},
		"an import by name": func(ctx context.Context, tx *db.Tx, group ids.ID) error {
			row := assignment.ImportRow{Evaluation: d.evaluation.String(), Target: assignment.Target{Type: models.TargetGroup, Ref: "Name " + group.String()}}
			_, err := assignment.Import(ctx, tx, []assignment.ImportRow{row}, assignment.ImportOptions{})
			return err
		},
	} {
		group := d.group()
		d.exec("update groups set name = 'Name ' || id where tenant_id = $1 and id = $2", group)
		var done <-chan error
		sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
			err := people.DeleteGroup(t.Context(), tx, group)
			done = sample.Blocked(t, tx, func() error {
				return d.store.Write(t.Context(), d.operator, func(tx *db.Tx) error { return assign(t.Context(), tx, group) })
			})
			return err
		})
		if err := <-done; code(err) != errs.ValidationFailed {
			t.Errorf("%s: got %v, want %s", name, err, errs.ValidationFailed)
		}
	}
}

// A schedule has assigned nothing yet and is going to.
func TestAGroupOfAScheduleStays(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	group := d.group()
	s := must(d, func(tx *db.Tx) (assignment.Schedule, error) {
		return assignment.CreateSchedule(t.Context(), tx, d.daily(models.TargetGroup, group.String()))
	})
	drop := func() error {
		return d.store.Write(t.Context(), d.operator, func(tx *db.Tx) error { return people.DeleteGroup(t.Context(), tx, group) })
	}
	wantCode(t, drop(), errs.GroupInUse)
	must(d, func(tx *db.Tx) (bool, error) { return true, assignment.DeleteSchedule(t.Context(), tx, s.ID) })
	wantCode(t, drop(), "")
}
