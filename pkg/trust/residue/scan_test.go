package residue_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/trust/residue"
	"assess/pkg/trust/signer"
)

func user(t *testing.T, store *db.Store, scope db.Scope, in people.UserInput) people.User {
	t.Helper()
	var u people.User
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		var err error
		u, err = people.CreateUser(t.Context(), tx, in)
		return err
	})
	return u
}

// said keeps a text in a table that is about nobody, or with a user id in one that is.
func said(t *testing.T, store *db.Store, scope db.Scope, text string) {
	t.Helper()
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		_, err := people.CreateRole(t.Context(), tx, people.RoleInput{Name: "r " + ids.New().String(), Description: text})
		return err
	})
}

func scan(t *testing.T, store *db.Store, scope db.Scope, files *blob.Store, in residue.Input) residue.Report {
	t.Helper()
	report, err := residue.Scan(t.Context(), store, scope, files, in)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

type spot struct {
	Table, Column string
	Kind          residue.Kind
	Form          residue.Form
	Verdict       residue.Verdict
	Rule          residue.Rule
}

func spots(r residue.Report) []spot {
	var all []spot
	for _, f := range r.Findings {
		all = append(all, spot{f.Table, f.Column, f.Kind, f.Form, f.Verdict, f.Rule})
	}
	return all
}

func TestTheRecordOfAPersonIsFound(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope, other := sample.Tenant(t, store), sample.Tenant(t, store)
	in := people.UserInput{Email: "Mara.Quist@example.org", Name: "Mara Quist", Metadata: map[string]any{"staff": "P-9912345", "team": "Human Resources"}}
	subject := user(t, store, scope, in)
	user(t, store, other, in)
	said(t, store, other, "ask Mara Quist")
	report := scan(t, store, scope, nil, residue.Input{Subject: subject.ID, Identifiers: residue.Of(subject)})
	for _, f := range report.Findings {
		if f.Row != subject.ID.String() && f.Table != "groups" {
			t.Errorf("found beyond the person's own record: %+v", f)
		}
	}
	for _, want := range []spot{
		{"users", "name", residue.Name, residue.Plain, residue.Residue, ""},
		{"users", "name", residue.NamePart, residue.Plain, residue.Residue, ""},
		{"users", "email", residue.Email, residue.Plain, residue.Residue, ""},
		{"users", "metadata", residue.Metadata, residue.Plain, residue.Residue, ""},
	} {
		if !slices.Contains(spots(report), want) {
			t.Errorf("%v is missing in %v", want, spots(report))
		}
	}
	for _, table := range []string{"users", "ledger_events", "river.river_job", "submission_items", "idempotency_keys"} {
		if !slices.ContainsFunc(report.Tables, func(s residue.Searched) bool { return s.Table == table && s.Columns > 0 }) {
			t.Errorf("%s was not searched", table)
		}
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"mara", "quist", "9912345", "Human Resources"} {
		if strings.Contains(strings.ToLower(string(text)), secret) {
			t.Errorf("the report quotes %q", secret)
		}
	}
}

// The verdict on a text elsewhere depends on who it may belong to.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text    string
		another *people.UserInput
		want    []spot
	}{
		"the name":                {text: "see MARA QUIST", want: []spot{{"roles", "description", residue.Name, residue.Plain, residue.Residue, ""}, {"roles", "description", residue.NamePart, residue.Plain, residue.Possible, residue.WordOfOthers}}},
		"a word of the name":      {text: "Quist moraine", want: []spot{{"roles", "description", residue.NamePart, residue.Plain, residue.Possible, residue.WordOfOthers}}},
		"a number":                {text: `{"n":"P-9912345"}`, want: []spot{{"roles", "description", residue.Metadata, residue.Plain, residue.Residue, ""}}},
		"base64":                  {text: base64.StdEncoding.EncodeToString([]byte("staff P-9912345")), want: []spot{{"roles", "description", residue.Metadata, residue.Base64, residue.Residue, ""}}},
		"another of the name":     {text: "see Mara Quist", another: &people.UserInput{Name: "mara quist"}, want: []spot{{"roles", "description", residue.Name, residue.Plain, residue.Allowed, residue.AnotherPerson}, {"roles", "description", residue.NamePart, residue.Plain, residue.Allowed, residue.AnotherPerson}}},
		"another of the number":   {text: "P-9912345", another: &people.UserInput{Name: "Bo Ek", Metadata: map[string]any{"staff": "P-9912345"}}, want: []spot{{"roles", "description", residue.Metadata, residue.Plain, residue.Allowed, residue.AnotherPerson}}},
		"alike":                   {text: "see Märà\u00a0Quist", want: []spot{{"roles", "description", residue.Name, residue.Alike, residue.Residue, ""}}},
		"alike, in JSON":          {text: "-", another: &people.UserInput{Name: "Bo Ek", Metadata: map[string]any{"manager": "Mara\n Quíst"}}, want: []spot{{"users", "metadata", residue.Name, residue.Alike, residue.Residue, ""}}},
		"another is called alike": {text: "Mára Quist or Mara Quist", another: &people.UserInput{Name: "Mará Quist"}, want: []spot{{"users", "name", residue.Name, residue.Alike, residue.Allowed, residue.AnotherPerson}, {"roles", "description", residue.Name, residue.Plain, residue.Residue, ""}}},
		"only another's spelling": {text: "Mára Quist", another: &people.UserInput{Name: "Mará Quist"}, want: []spot{{"roles", "description", residue.Name, residue.Alike, residue.Allowed, residue.AnotherPerson}}},
		"in another's attributes": {text: "-", another: &people.UserInput{Name: "Bo Ek", Metadata: map[string]any{"manager": "Mara Quist"}}, want: []spot{{"users", "metadata", residue.Name, residue.Plain, residue.Residue, ""}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := sample.Store(t)
			scope := sample.Tenant(t, store)
			if test.another != nil {
				test.another.Email = "another@example.org"
				user(t, store, scope, *test.another)
			}
			said(t, store, scope, test.text)
			report := scan(t, store, scope, nil, residue.Input{Identifiers: residue.Complete([]residue.Identifier{
				{Kind: residue.Name, Value: "Mara Quist"}, {Kind: residue.Metadata, Value: "P-9912345"}})})
			for _, want := range test.want {
				if !slices.Contains(spots(report), want) {
					t.Errorf("%v is missing in %v", want, spots(report))
				}
			}
		})
	}
}

// A search that is stopped after any page goes on there and ends in the same report.
func TestASearchGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	subject := user(t, store, scope, people.UserInput{Email: "mara@example.org", Name: "Mara Quist"})
	for range 3 {
		said(t, store, scope, "ask Mara Quist")
	}
	input := residue.Input{Subject: subject.ID, Identifiers: residue.Of(subject)}
	whole := scan(t, store, scope, nil, input)
	errStop := errors.New("stop")
	var kept []byte
	var report residue.Report
	for n := 0; ; n++ {
		in := input
		if kept != nil {
			in.From = &residue.State{}
			if err := json.Unmarshal(kept, in.From); err != nil {
				t.Fatal(err)
			}
		}
		steps := 0
		in.Follow = func(s *residue.State) error {
			kept, _ = json.Marshal(s) //nolint:errchkjson // read above
			steps++
			if steps == 3 {
				return errStop
			}
			return nil
		}
		var err error
		report, err = residue.Scan(t.Context(), store, scope, nil, in)
		if err == nil {
			break
		}
		if !errors.Is(err, errStop) || n > 500 {
			t.Fatal(err)
		}
	}
	whole.StartedAt, whole.EndedAt, report.EndedAt = report.StartedAt, nil, nil
	if diff := cmp.Diff(whole, report); diff != "" {
		t.Error(diff)
	}
}

func TestWhoMaySearch(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	in := residue.Input{Identifiers: []residue.Identifier{{Kind: residue.Name, Value: "Mara Quist"}}}
	for c, allowed := range map[capability.Capability]bool{capability.ComplianceRead: true, capability.ComplianceManage: true, capability.UsersRead: false} {
		_, err := residue.Scan(t.Context(), store, sample.As(scope, ids.New(), c), nil, in)
		if errors.Is(err, errs.Forbidden) == allowed {
			t.Errorf("with %s: got %v", c, err)
		}
	}
	_, err := residue.Scan(t.Context(), store, scope, nil, residue.Input{})
	if !errors.Is(err, errs.ValidationFailed) {
		t.Errorf("without identifiers: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in.Follow = func(*residue.State) error { cancel(); return nil }
	if _, err := residue.Scan(ctx, store, scope, nil, in); err == nil {
		t.Error("a search that was given up ended")
	}
}

func TestFilesOfTheTenantAreSearched(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope, other := sample.Tenant(t, store), sample.Tenant(t, store)
	files, err := blob.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	for _, tenant := range []ids.ID{scope.Tenant, other.Tenant} {
		for _, text := range []string{"by Mara Quist", "by Mará\u202fQu\u00adist"} {
			f, err := blob.Receive(strings.NewReader(text), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			_, err = files.Put(t.Context(), tenant, blob.Evidence, f)
			if err != nil {
				t.Fatal(err)
			}
			_ = f.Close()
		}
	}
	report := scan(t, store, scope, files, residue.Input{Identifiers: []residue.Identifier{{Kind: residue.Name, Value: "Mara Quist"}}})
	want := map[spot]int{{"files", "content", residue.Name, residue.Plain, residue.Residue, ""}: 1, {"files", "content", residue.Name, residue.Alike, residue.Residue, ""}: 1}
	got := map[spot]int{}
	for _, one := range spots(report) {
		got[one]++
	}
	if diff := cmp.Diff(want, got); diff != "" || report.Files != 2 {
		t.Errorf("%d files, %s", report.Files, diff)
	}
}

func TestTheReceiptIsCheckedByOpenSSL(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	report := scan(t, store, scope, nil, residue.Input{Identifiers: []residue.Identifier{{Kind: residue.Name, Value: "Mara Quist"}}})
	var receipt residue.Receipt
	var message []byte
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		var err error
		receipt, message, err = residue.Sign(t.Context(), tx, sample.KeySecret, report)
		if err == nil {
			_, public, _ := signer.Current(t.Context(), tx, sample.KeySecret)
			if signer.PEM(public) != receipt.PublicKey {
				t.Error("the receipt names another key")
			}
		}
		return err
	})
	openssl, err := exec.LookPath("openssl")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("openssl is not here")
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{"receipt.json": message, "receipt.sig": receipt.Signature, "signer.pem": []byte(receipt.PublicKey)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := exec.CommandContext(t.Context(), openssl, "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "signer.pem", "-sigfile", "receipt.sig", "-in", "receipt.json")
	check.Dir = dir
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
