package processing_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
	"assess/pkg/trust/datamap"
	"assess/pkg/trust/processing"
	"assess/pkg/trust/requests"
)

// Each domain of the data map has one purpose, with a legal basis of article 6.
func TestEachDomainHasAPurpose(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	for _, p := range datamap.Purposes {
		if !slices.Contains(datamap.Bases, p.Basis) || datamap.Articles[p.Basis] == "" || p.What == "" || p.People == "" || p.Data == "" {
			t.Errorf("the purpose %s is not whole", p.Code)
		}
		for _, domain := range p.Domains {
			found[domain]++
		}
	}
	for _, table := range datamap.Tables {
		if found[table.Domain] != 1 {
			t.Errorf("the domain %s has %d purposes", table.Domain, found[table.Domain])
		}
	}
}

// The record says what the tenant said: its legal bases, its recipients, and how long it keeps what.
func TestTheRecordOfATenant(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	operator := sample.Tenant(t, store)
	write := func(as db.Scope, want errs.Code, fn func(ctx context.Context, tx *db.Tx) error) {
		t.Helper()
		err := store.Write(t.Context(), as, func(tx *db.Tx) error { return fn(t.Context(), tx) })
		if want == "" && err != nil || want != "" && !errors.Is(err, want) {
			t.Fatalf("got %v, want %q", err, want)
		}
	}
	set := func(as db.Scope, purpose, basis string, want errs.Code) {
		t.Helper()
		write(as, want, func(ctx context.Context, tx *db.Tx) error {
			_, err := processing.SetBasis(ctx, tx, processing.BasisInput{Purpose: purpose, LegalBasis: basis})
			return err
		})
	}
	set(operator, "exams", "because", errs.ValidationFailed)
	set(operator, "fun", "consent", errs.ValidationFailed)
	set(operator, "exams", "", errs.ValidationFailed)
	set(sample.As(operator, ids.New(), capability.ComplianceManage), "exams", "consent", errs.Forbidden)
	set(operator, "exams", "consent", "")
	set(operator, "exams", "public_task", "")
	write(operator, "", func(ctx context.Context, tx *db.Tx) error {
		_, err := requests.CreateRecipient(ctx, tx, requests.RecipientInput{Name: "Watchful Ltd", Role: "processor", Purpose: "integrity", Gets: "Events"})
		if err == nil {
			_, err = policy.SetRetention(ctx, tx, policy.RetentionInput{Policies: []policy.Retention{{Domain: "submissions", Days: 365, Action: policy.Redact},
				{Domain: "submissions", Days: 30, Action: policy.Delete, Of: policy.Of{Outcome: "incomplete"}}}})
		}
		return err
	})
	var got processing.Record
	write(operator, "", func(ctx context.Context, tx *db.Tx) error {
		var err error
		got, err = processing.Get(ctx, tx)
		return err
	})
	var all strings.Builder
	for _, l := range got.Lines() {
		all.WriteString(strings.Join([]string{l.Purpose, l.LegalBasis, l.Article, l.Recipients, l.Periods}, " | ") + "\n")
	}
	for _, wanted := range []string{"exams | public_task | 6(1)(e) |  | assignments: no policy; sessions: no policy\n", "integrity | legitimate_interests | 6(1)(f) | Watchful Ltd (processor): Events |",
		"submissions: 365 days, then redacted; submissions (outcome=incomplete): 30 days, then deleted; readiness: no policy"} {
		if !strings.Contains(all.String(), wanted) {
			t.Errorf("the record does not say %q:\n%s", wanted, all.String())
		}
	}
	if len(got.Purposes) != len(datamap.Purposes) || got.Controller == "" {
		t.Errorf("the record is %+v", got)
	}
}
