package intake_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/intake"
)

func TestSubjectProblems(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got, err := b.preview(intake.PreviewSubjects, intake.Input{Data: []byte("External Id,name,kind,meta.region\ns1,One,site,north\n,,,\ns2,,,\ns1,Again,,\n")})
	want(t, err, "")
	if diff := cmp.Diff([]string{"4:name:required", "5:External Id:duplicate_external_id"}, problems(got)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if n := b.count("subjects"); n != 0 {
		t.Errorf("preview wrote %d subjects", n)
	}
}

func TestCommitSubjectsTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const file = "externalId,name,meta.region\ns1,One,north\ns2,Two,\n"
	for _, step := range []struct{ file, want string }{
		{file, "total 2 created 2 changed 0 unchanged 0 skipped 0 published 0"},
		{file, "total 2 created 0 changed 0 unchanged 2 skipped 0 published 0"},
		{"externalId,name\ns1,One more\n", "total 1 created 0 changed 1 unchanged 0 skipped 0 published 0"},
	} {
		if got := counts(b.must(intake.CommitSubjects, step.file)); got != step.want {
			t.Errorf("got %s, want %s", got, step.want)
		}
	}
	_, err := b.as(capability.UsersImport).preview(intake.PreviewSubjects, intake.Input{Data: []byte(file)})
	want(t, err, errs.Forbidden)
}

func TestExportedSubjectsReturnUnchanged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must(intake.CommitSubjects, "externalId,name,kind,metadata,meta.region\n"+
		`s1,"=One, ""North""",site,"{""n"":1.5,""list"":[""a"",true],""region"":""x""}",north`+"\ns2,Two,,,\n")
	file := b.returns(intake.ExportSubjects, intake.CommitSubjects, 2)
	var got map[string]any
	if err := json.Unmarshal([]byte(table(t, file)["s1"]["metadata"]), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"n": 1.5, "list": []any{"a", true}, "region": "north"}, got); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}
