package intake_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/skill"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

// commitSkills gives the result that every import gives, and puts the framework into into.
func commitSkills(into *ids.ID) committer {
	return func(ctx context.Context, tx *db.Tx, in intake.Input) (intake.Commit, error) {
		done, err := intake.CommitSkills(ctx, tx, in)
		*into = done.FrameworkID
		return done.Commit, err
	}
}

func (b bench) exportSkills(framework ids.ID) string {
	b.Helper()
	var out bytes.Buffer
	err := b.store.Report(b.Context(), b.scope, func(tx *db.Tx) error {
		_, err := intake.ExportSkills(b.Context(), tx, framework, &out)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return out.String()
}

func TestSkillsComeFromCSV(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var framework ids.ID
	in := intake.Input{Title: "Nursing", Publish: true}
	const file = "code,name,parent,levels\nN,Nursing,,\nN.1,Doses,N,novice:0; able:0.7\nN.2,Wounds,N,\"[{\"\"name\"\":\"\"a;b\"\",\"\"threshold\"\":0}]\"\n"
	for _, step := range []struct{ file, want string }{
		{file, "total 3 created 3 changed 0 unchanged 0 skipped 0 published 3"},
		{file, "total 3 created 0 changed 0 unchanged 3 skipped 0 published 0"},
		{"code,name\nN,Nurses\n", "total 1 created 0 changed 1 unchanged 0 skipped 0 published 1"},
	} {
		in.Data = []byte(step.file)
		got, err := b.commit(commitSkills(&framework), in)
		want(t, err, "")
		if counts(got) != step.want {
			t.Errorf("got %s, want %s", counts(got), step.want)
		}
	}
	out := b.exportSkills(framework)
	back, err := b.commit(commitSkills(new(ids.ID)), intake.Input{Data: []byte(out), FrameworkID: framework})
	want(t, err, "")
	if counts(back) != "total 3 created 0 changed 0 unchanged 3 skipped 0 published 0" {
		t.Errorf("import of %s\ngave %s", out, counts(back))
	}
	_, err = b.as(capability.SkillsRead).commit(commitSkills(new(ids.ID)), in)
	want(t, err, errs.Forbidden)
	_, err = b.commit(commitSkills(new(ids.ID)), intake.Input{Data: []byte(file)})
	want(t, err, errs.ValidationFailed)
	_, err = b.commit(commitSkills(new(ids.ID)), intake.Input{Data: []byte(file), FrameworkID: ids.New()})
	want(t, err, errs.NotFound)
}

func TestSkillProblems(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	long := strings.Repeat("x", 201)
	rows := []string{"A,First,Z,high:0.5;low:0.2,", "A,Again,,,", ",No code,,,", "B,,B,much:2,", "C," + long + ",A,what,", "D,Identified,,a:,x", ""}
	in := intake.Input{Title: "T", Data: []byte("Code,name,parent,levels,identifier\n" + strings.Join(rows, "\n"))}
	got, err := b.preview(intake.PreviewSkills, in)
	want(t, err, "")
	wanted := []string{"2:levels:not_rising", "2:parent:unknown_parent", "3:identifier:duplicate", "4:Code:required", "5:levels:out_of_range",
		"5:name:required", "5:parent:cycle", "6:levels:invalid_level", "6:name:too_long", "7:identifier:invalid_id", "7:levels:invalid_level"}
	if diff := cmp.Diff(wanted, slices.Sorted(slices.Values(problems(got)))); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	_, err = b.commit(commitSkills(new(ids.ID)), in)
	want(t, err, errs.ImportInvalid)
	if n := b.count("skills") + b.count("skill_frameworks"); n != 0 {
		t.Errorf("%d rows were written", n)
	}
	for file, code := range map[string]string{"": "empty_file", "code\nA\n": "missing_column", "code,name\n\"A": "malformed_csv", "code,name\n\xff,A\n": "invalid_utf8"} {
		got, err := b.preview(intake.PreviewSkills, intake.Input{Title: "T", Data: []byte(file)})
		if err != nil || len(got.Errors) == 0 || got.Errors[0].Code != code {
			t.Errorf("%q: got %+v, %v", file, got.Errors, err)
		}
	}
}

func TestSkillProblemsOfAPackage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	document, a := ids.New(), ids.New()
	link := func(id ids.ID) string { return fmt.Sprintf(`{"identifier":%q}`, id) }
	data := fmt.Sprintf(`{"CFDocument":{"identifier":%q,"title":" "},"CFItems":[{"identifier":%q,"fullStatement":"A"},{"identifier":%q}],
		"CFAssociations":[{"associationType":"isChildOf","originNodeURI":%s,"destinationNodeURI":%s}]}`, document, a, ids.New(), link(a), link(a))
	in := intake.Input{Data: []byte(data)}
	got, err := b.preview(intake.PreviewSkills, in)
	want(t, err, "")
	wanted := []string{"0:CFDocument.title:required", "1:CFItems[0].isChildOf:cycle", "2:CFItems[1].fullStatement:required"}
	if diff := cmp.Diff(wanted, slices.Sorted(slices.Values(problems(got)))); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	_, err = b.commit(commitSkills(new(ids.ID)), in)
	want(t, err, errs.ImportInvalid)
	if f := errs.Of(err).Fields; len(f) != 3 || f[1].Path != "CFItems[0].isChildOf" {
		t.Errorf("got %v", f)
	}
}

// A list of problems is bounded, however much is wrong.
func TestSkillProblemsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got, err := b.preview(intake.PreviewSkills, intake.Input{Title: "T", Data: []byte("code,name,parent\n" + strings.Repeat(",,x\n", 5_000))})
	want(t, err, "")
	if len(got.Errors) != 1_000 || got.ErrorCount != 5_000 || got.MoreErrors < 4_000 || len(got.Rows) > 50 {
		t.Errorf("%d errors, %d lines, %d more", len(got.Errors), got.ErrorCount, got.MoreErrors)
	}
	got, err = b.preview(intake.PreviewSkills, intake.Input{Title: "T", Data: []byte("name,code\n" + strings.Repeat("x,a\n", skill.MaxSkills+1))})
	want(t, err, "")
	if len(got.Errors) != 1 || got.Errors[0].Code != "too_many" {
		t.Errorf("%d errors: %v", len(got.Errors), got.Errors[:1])
	}
}
