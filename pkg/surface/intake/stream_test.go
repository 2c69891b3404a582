package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/errs"
	"assess/pkg/surface/intake"
)

// manyQuestions gives the rows q1 to qn, enough of them for several chunks.
func manyQuestions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "q%d,mcq,Question %d?,a,b,,A,,,,,en,,\n", i+1, i+1)
	}
	return b.String()
}

func TestRowsOfOneRecordMeetFromBothEndsOfAFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	done := b.must(intake.CommitQuestions, questionHeader+manyQuestions(2500)+"q1,mcq,Frage?,a,b,,A,,,,,de,,\n")
	if got, wanted := counts(done), "total 2501 created 2500 changed 0 unchanged 0 skipped 0 published 0"; got != wanted {
		t.Errorf("got %s, want %s", got, wanted)
	}
	if n := len(b.question("q1").Draft.Stem.Locales); n != 2 {
		t.Errorf("q1 has %d languages, want 2", n)
	}
}

func TestAnErrorFarDownWritesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, last string
		skip       bool
	}{
		{"invalid row", "q,mcq,,a,b,,A,,,,,,,\n", false},
		{"quote that never closes", "q,mcq,\"S,a,b,,A,,,,,,,\n", false},
		{"quote that never closes, others wanted", "q,mcq,\"S,a,b,,A,,,,,,,\n", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			in := intake.Input{Data: []byte(questionHeader + manyQuestions(1500) + test.last), SkipInvalid: test.skip}
			_, err := b.commit(intake.CommitQuestions, in)
			want(t, err, errs.ImportInvalid)
			if path := errs.Of(err).Fields[0].Path; !strings.HasPrefix(path, "line 1502") || b.count("questions") != 0 {
				t.Errorf("problem on %s and %d questions, want line 1502 and none", path, b.count("questions"))
			}
		})
	}
}

func TestABrokenFileHasNoValidRow(t *testing.T) {
	t.Parallel()
	got, err := newBench(t).preview(intake.PreviewQuestions,
		intake.Input{Data: []byte(questionHeader + manyQuestions(1500) + "q,mcq,\"S,a,b,,A,,,,,,,\n")})
	want(t, err, "")
	if diff := cmp.Diff([]string{"1502::malformed_csv"}, problems(got)); diff != "" || got.Total != 1500 || got.ValidCount != 0 {
		t.Errorf("%d rows, %d valid, problems (-want +got):\n%s", got.Total, got.ValidCount, diff)
	}
}

func TestAnAddressThatOccursTwiceIsNoticedFromFar(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&rows, "u%d@x.example\n", i)
	}
	got, err := newBench(t).preview(intake.PreviewUsers, intake.Input{Data: []byte("email\n" + rows.String() + "U0@X.example\n")})
	want(t, err, "")
	if diff := cmp.Diff([]string{"1502:email:duplicate_email"}, problems(got)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestProgressEndsWithEveryRow(t *testing.T) {
	t.Parallel()
	var told [][2]int
	_, err := newBench(t).preview(intake.PreviewQuestions, intake.Input{Data: []byte(questionHeader + manyQuestions(2500)),
		Progress: func(done, total int) { told = append(told, [2]int{done, total}) }})
	want(t, err, "")
	if diff := cmp.Diff([][2]int{{1000, 2500}, {2000, 2500}, {2500, 2500}}, told); diff != "" {
		t.Errorf("rows done and in all (-want +got):\n%s", diff)
	}
}

// A file that is too long is refused for that: its rows are not looked at, which would take others' time.
func TestAFileOfTooManyRowsIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := intake.Input{Data: []byte("email\n" + strings.Repeat("a\n", 200_001))}
	got, err := b.preview(intake.PreviewUsers, in)
	want(t, err, "")
	if diff := cmp.Diff([]string{"200002::too_many_rows"}, problems(got)); diff != "" || got.Total != 200_001 || got.ValidCount != 0 {
		t.Errorf("%d rows, %d valid, problems (-want +got):\n%s", got.Total, got.ValidCount, diff)
	}
	in.SkipInvalid = true
	_, err = b.commit(intake.CommitUsers, in)
	want(t, err, errs.ImportInvalid)
}
