package exception_test

import (
	"errors"
	"fmt"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/exception"
)

// Many at once: whatever can be changed is changed, with an event each, and the rest gets a reason.
func TestManyAreTriagedAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	bulk := func(as db.Scope, in exception.BulkInput) (exception.Bulk, error) {
		var done exception.Bulk
		err := o.store.Write(t.Context(), as, func(tx *db.Tx) error {
			var err error
			done, err = exception.WorkMany(t.Context(), tx, in)
			return err
		})
		return done, err
	}
	unknown := ids.New()
	both := []ids.ID{unknown, o.failed}
	for name, c := range map[string]struct {
		as   db.Scope
		in   exception.BulkInput
		want errs.Code
	}{
		"nothing to change":  {o.keeper, exception.BulkInput{SubmissionIDs: both}, errs.ValidationFailed},
		"nobody":             {o.keeper, exception.BulkInput{State: "acknowledged"}, errs.ValidationFailed},
		"one twice":          {o.keeper, exception.BulkInput{SubmissionIDs: []ids.ID{o.failed, o.failed}, State: "acknowledged"}, errs.ValidationFailed},
		"no such state":      {o.keeper, exception.BulkInput{SubmissionIDs: both, State: "done"}, errs.ValidationFailed},
		"no such owner":      {o.keeper, exception.BulkInput{SubmissionIDs: both, OwnerUserID: &unknown}, errs.ValidationFailed},
		"without capability": {o.candidate, exception.BulkInput{SubmissionIDs: both, State: "acknowledged"}, errs.Forbidden},
	} {
		if _, err := bulk(c.as, c.in); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	result := func(as db.Scope, in exception.BulkInput) string {
		t.Helper()
		done, err := bulk(as, in)
		if err != nil {
			t.Fatal(err)
		}
		said := fmt.Sprintf("%d changed, %d failed:", done.Changed, done.Failed)
		for _, r := range done.Results {
			said += " " + string(r.Code) + ";"
		}
		return said
	}
	own := sample.As(o.boss, o.candidate.Actor.ID, capability.ExceptionsTriage)
	if got := result(own, exception.BulkInput{SubmissionIDs: both, State: "acknowledged"}); got != "0 changed, 2 failed: not_found; four_eyes_required;" {
		t.Error("one's own: " + got)
	}
	stranger := o.candidate.Actor.ID // this user may not see exceptions
	if got := result(o.keeper, exception.BulkInput{SubmissionIDs: both, OwnerUserID: &stranger}); got != "0 changed, 2 failed: not_found; validation_failed;" {
		t.Error("an owner who does not see it: " + got)
	}
	before := o.list(exception.Filter{})[0]
	if got := result(o.keeper, exception.BulkInput{SubmissionIDs: both, State: "acknowledged"}); got != "1 changed, 1 failed: not_found; ;" {
		t.Error("acknowledged: " + got)
	}
	after := o.list(exception.Filter{})[0]
	if after.State != "acknowledged" || after.OwnerUserID != nil || !after.UpdatedAt.After(before.UpdatedAt) {
		t.Errorf("acknowledged: %+v", after)
	}
	result(newOffice(t).keeper, exception.BulkInput{SubmissionIDs: both, State: "open"}) // another tenant's
	o.do(o.boss, func(tx *db.Tx) error {
		var n int
		err := tx.QueryRow(t.Context(), "select count(*) from ledger_events where tenant_id = $1 and event_type = 'exception.triaged' and subject_id = $2 and payload ->> 'state' = 'acknowledged'",
			tx.Tenant(), o.failed).Scan(&n)
		if n != 1 {
			t.Errorf("%d events", n)
		}
		return err
	})
	if now := o.list(exception.Filter{})[0]; now.State != "acknowledged" {
		t.Errorf("another tenant changed it: %+v", now)
	}
}
