package intake_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/intake"
)

const twoUsers = "email,name,roles,meta.team\nAda@X.example,Ada,candidate,red\nbob@x.example,Bob,candidate;reviewer,\n"

func address(key string) *string { return &key }

func TestPreviewUsersShowsRowsAndWritesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got, err := b.preview(intake.PreviewUsers, intake.Input{Data: []byte("Email;Org Units;meta.team;shoe size\nAda@X.example;main;red;9\nnobody;mars;;\n")})
	want(t, err, "")
	wanted := intake.Preview{ImportID: got.ImportID, Total: 2, ValidCount: 1, InvalidCount: 1, Records: 1, ErrorCount: 1,
		Valid: []intake.ValidRow{{Line: 2, Key: "ada@x.example"}},
		Errors: []intake.Problem{
			{Line: 3, Column: "Email", Code: "invalid_email", Message: "it is no e-mail address"},
			{Line: 3, Column: "Org Units", Code: "unknown_org_unit", Message: "there is no such org unit in your scope"},
		},
		Warnings: []intake.Problem{{Line: 1, Column: "shoe size", Code: "unknown_column", Message: "the column is not known and was left out"}},
		Rows: []intake.PreviewRow{
			{Line: 2, Key: "ada@x.example", Email: address("ada@x.example"), Metadata: map[string]any{"team": "red"}, Status: "valid"},
			{Line: 3, Email: address(""), Metadata: map[string]any{}, Status: "error", Message: "it is no e-mail address"},
		},
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("preview (-want +got):\n%s", diff)
	}
	if n := b.count("users"); n != 0 {
		t.Errorf("preview wrote %d users", n)
	}
}

func TestPreviewListsAreNeverNull(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, csv := range []string{"", "email\n", "name\nAda\n"} {
		got, err := b.preview(intake.PreviewUsers, intake.Input{Data: []byte(csv)})
		want(t, err, "")
		if got.Valid == nil || got.Errors == nil || got.Warnings == nil || got.Rows == nil {
			t.Errorf("preview of %q has a null list: %+v", csv, got)
		}
	}
}

func TestCommitUsersTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, wanted := range []string{
		"total 2 created 2 changed 0 unchanged 0 skipped 0 published 0",
		"total 2 created 0 changed 0 unchanged 2 skipped 0 published 0",
	} {
		if got := counts(b.must(intake.CommitUsers, twoUsers)); got != wanted {
			t.Errorf("got %s, want %s", got, wanted)
		}
	}
	events := b.count("ledger_events")
	b.must(intake.CommitUsers, twoUsers)
	if again := b.count("ledger_events"); again != events {
		t.Errorf("an import that changed nothing wrote %d ledger events", again-events)
	}
	got := counts(b.must(intake.CommitUsers, strings.Replace(twoUsers, "red", "blue", 1)))
	if wanted := "total 2 created 0 changed 1 unchanged 1 skipped 0 published 0"; got != wanted {
		t.Errorf("changed row: got %s, want %s", got, wanted)
	}
}

func TestCommitWritesNothingUnlessEveryRowIsValid(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	bad := intake.Input{Data: []byte(twoUsers + "nobody,,,\nADA@x.example,,,\n")}
	_, err := b.commit(intake.CommitUsers, bad)
	want(t, err, errs.ImportInvalid)
	fields := []string{}
	for _, f := range errs.Of(err).Fields {
		fields = append(fields, f.Path+" "+f.Code)
	}
	if diff := cmp.Diff([]string{"line 4, column email invalid_email", "line 5, column email duplicate_email"}, fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if n := b.count("users"); n != 0 {
		t.Errorf("a refused import wrote %d users", n)
	}
	bad.SkipInvalid = true
	done, err := b.commit(intake.CommitUsers, bad)
	want(t, err, "")
	if got, wanted := counts(done), "total 4 created 2 changed 0 unchanged 0 skipped 2 published 0"; got != wanted {
		t.Errorf("got %s, want %s", got, wanted)
	}
	if done.ErrorCount != 2 || len(done.Errors) != 2 {
		t.Errorf("%d errors on %d lines, want both", len(done.Errors), done.ErrorCount)
	}
}

func TestFileErrorsCannotBeSkipped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, csv := range []string{"name\nAda\n", "email\nada@x.example\nbob\xff@x.example\n", "email\nada@x.example\n\"bob\n"} {
		_, err := b.commit(intake.CommitUsers, intake.Input{Data: []byte(csv), SkipInvalid: true})
		want(t, err, errs.ImportInvalid)
	}
	if n := b.count("users"); n != 0 {
		t.Errorf("unusable files left %d users", n)
	}
}

func TestImportUsersNeedsCapabilities(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	noRoles := intake.Input{Data: []byte("email\nada@x.example\n")}
	roles := intake.Input{Data: []byte("email,roles\nada@x.example,candidate\n")}
	_, err := b.as(capability.UsersManage).preview(intake.PreviewUsers, noRoles)
	want(t, err, errs.Forbidden)
	_, err = b.as(capability.UsersImport).preview(intake.PreviewUsers, noRoles)
	want(t, err, "")
	_, err = b.as(capability.UsersImport).commit(intake.CommitUsers, roles)
	want(t, err, errs.Forbidden)
	_, err = b.as(capability.UsersImport, capability.UsersManage).commit(intake.CommitUsers, roles)
	want(t, err, errs.ImportInvalid) // the role is beyond the caller's own
	_, err = b.as(capability.UsersImport, capability.UsersManage, capability.SessionsTake, capability.GroupsJoin).commit(intake.CommitUsers, roles)
	want(t, err, "")
}

func TestErrorsRepeatNoCell(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := b.commit(intake.CommitUsers, intake.Input{Data: []byte("email,name,orgUnits,roles\nsecret,\"secret\n\",secret,secret\n")})
	want(t, err, errs.ImportInvalid)
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error repeats a cell: %v", err)
	}
}
