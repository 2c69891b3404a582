package retention

import (
	"testing"
	"time"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
)

func (o *office) set(policies ...policy.Retention) error {
	return o.store.Write(o.Context(), o.operator, func(tx *db.Tx) error {
		_, err := policy.SetRetention(o.Context(), tx, policy.RetentionInput{Policies: policies})
		return err
	})
}

// keeps gives for how many days a submission is kept; 0 for ever.
func (o *office) keeps(id ids.ID) int {
	o.Helper()
	return o.count("select coalesce(round(extract(epoch from retain_until - completed_at) / 86400), 0)::int from submissions where tenant_id = $1 and id = $2", id)
}

// A submission takes the most special policy that is about it: of its evaluation, its outcome, or the way in which it was handed out.
func TestThePolicyThatIsAboutASubmission(t *testing.T) {
	t.Parallel()
	o := newOffice(t, sample.Store(t), policy.Redact)
	of := func(days int, of policy.Of) policy.Retention {
		return policy.Retention{Domain: "submissions", Days: days, Action: policy.Redact, Of: of}
	}
	evaluation := o.snapshot.EvaluationID
	all, outcome := of(100, policy.Of{}), of(200, policy.Of{Outcome: "incomplete"})
	byHand, named := of(300, policy.Of{AssignmentKind: "none"}), of(400, policy.Of{EvaluationID: &evaluation})
	for _, c := range []struct {
		name     string
		policies []policy.Retention
		days     int
	}{
		{"of all", []policy.Retention{all, of(7, policy.Of{Outcome: "pass"}), of(8, policy.Of{AssignmentKind: "public_link"})}, 100},
		{"of the way of handing out", []policy.Retention{all, byHand}, 300},
		{"of the outcome", []policy.Retention{byHand, all, outcome}, 200},
		{"of the evaluation", []policy.Retention{outcome, byHand, named, all}, 400},
		{"of evaluation and outcome", []policy.Retention{of(500, policy.Of{EvaluationID: &evaluation, Outcome: "incomplete"}), outcome, byHand, named, all}, 500},
		{"the outcome again", []policy.Retention{outcome, byHand}, 200},
		{"none", nil, 0},
	} {
		if err := o.set(c.policies...); err != nil {
			t.Fatal(err)
		}
		_, id := o.submit()
		if got := o.keeps(id); got != c.days {
			t.Errorf("%s: kept for %d days, want %d", c.name, got, c.days)
		}
	}
	for name, bad := range map[string][]policy.Retention{
		"an evaluation that there is not": {of(1, policy.Of{EvaluationID: new(ids.New())})}, "a word": {of(1, policy.Of{Outcome: "won"})},
		"another domain": {{Domain: "evidence", Days: 1, Action: policy.Delete, Of: policy.Of{Outcome: "pass"}}}, "twice": {outcome, outcome},
	} {
		if err := o.set(bad...); errs.Of(err).Code != errs.ValidationFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Sweeps in the months to come find what the forecast says.
func TestAForecastByMonth(t *testing.T) {
	t.Parallel()
	o := newOffice(t, sample.Store(t), policy.Redact)
	if err := o.set(policy.Retention{Domain: "submissions", Days: 45, Action: policy.Redact}); err != nil {
		t.Fatal(err)
	}
	o.submit()
	o.submit()
	if err := o.set(policy.Retention{Domain: "submissions", Days: 200, Action: policy.Delete}, policy.Retention{Domain: "sessions", Days: 300, Action: policy.Redact}); err != nil {
		t.Fatal(err)
	}
	o.submit()
	read := func(as db.Scope) (Forecast, error) {
		var f Forecast
		err := o.store.Read(t.Context(), as, func(tx *db.Tx) error {
			var err error
			f, err = LookAhead(t.Context(), tx)
			return err
		})
		return f, err
	}
	f, err := read(o.operator)
	if err != nil {
		t.Fatal(err)
	}
	month := func(days int) time.Time {
		for i := range ForecastMonths {
			if end := f.At.AddDate(0, i+1, 0); end.After(f.At.AddDate(0, 0, days)) {
				return f.At.AddDate(0, i, 0)
			}
		}
		return time.Time{}
	}
	wanted := map[string]int{"submissions redact " + month(45).String(): 2, "submissions delete " + month(200).String(): 1, "sessions redact " + month(300).String(): 3}
	for _, l := range f.Items {
		key := l.Domain + " " + l.Action + " " + l.From.String()
		if wanted[key] != int(l.Records) {
			t.Errorf("%s: %d records, want %d", key, l.Records, wanted[key])
		}
		delete(wanted, key)
	}
	if len(wanted) > 0 {
		t.Errorf("not said: %v, of %+v", wanted, f)
	}
	if _, err := read(sample.As(o.operator, ids.New(), capability.SessionsTake)); errs.Of(err).Code != errs.Forbidden {
		t.Errorf("without a capability: %v", err)
	}
}
