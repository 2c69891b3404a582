package intake_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/media"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/intake"
)

// writesIn says which languages the tenant writes in.
func (b bench) writesIn(locales ...string) {
	b.Helper()
	in := media.LocalesInput{DefaultLocale: locales[0]}
	for _, tag := range locales {
		in.Locales = append(in.Locales, media.Locale{Tag: tag})
	}
	b.write(func(tx *db.Tx) error {
		_, err := media.SetLocales(b.Context(), tx, in)
		return err
	})
}

// refused gives the problems of a refused commit.
func refused(t *testing.T, err error) []intake.Problem {
	t.Helper()
	want(t, err, errs.ImportInvalid)
	shown := []intake.Problem{}
	for _, f := range errs.Of(err).Fields {
		shown = append(shown, intake.Problem{Line: f.Line, Column: f.Column, Code: f.Code, Message: f.Message})
	}
	return shown
}

// A tenant that writes in some of the five languages of the bank: the preview names every
// line in another one, the commit names the same, and with the valid rows wanted these go in.
func TestRealBankInATenantThatChoseItsLanguages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.writesIn("en", "fr")
	in := intake.Input{Data: testdata(t, "bank_i18n.csv"), CreateTerms: true}
	shown, err := b.preview(intake.PreviewQuestions, in)
	want(t, err, "")
	if shown.ErrorCount < 300 || shown.ErrorCount+shown.ValidCount != 431 || shown.ValidCount == 0 || len(shown.Errors) != shown.ErrorCount {
		t.Fatalf("%d errors on %d lines, %d valid; want one on each line that is not French", len(shown.Errors), shown.ErrorCount, shown.ValidCount)
	}
	for _, p := range shown.Errors {
		if p.Code != "locale_not_enabled" || p.Column != "lang" {
			t.Fatalf("problem %v, want locale_not_enabled of lang", p)
		}
	}
	_, err = b.commit(intake.CommitQuestions, in)
	if diff := cmp.Diff(shown.Errors, refused(t, err)); diff != "" {
		t.Errorf("the commit names other problems than the preview (-preview +commit):\n%s", diff)
	}
	if n := b.count("questions") + b.count("terms"); n != 0 {
		t.Errorf("preview and refused commit left %d questions and terms", n)
	}
	in.SkipInvalid = true
	done, err := b.commit(intake.CommitQuestions, in)
	want(t, err, "")
	if done.Created != shown.ValidCount || b.count("questions") != shown.ValidCount || done.Skipped != shown.ErrorCount {
		t.Errorf("%s, %d stored; want %d created", counts(done), b.count("questions"), shown.ValidCount)
	}
}

// choices are the possible cells of a column, right and wrong.
type choices struct {
	column string
	cells  []string
}

// faulty is a tenant with everything that a file can stumble over.
func faulty(t *testing.T) handout {
	t.Helper()
	h := newHandout(t)
	h.must(intake.CommitTerms, "facet,slug,retired\ntopic,maths,\ntopic,old,yes\n")
	h.must(intake.CommitQuestions, questionHeader+"k1,mcq,One?,a,b,,A,,,,,,,\nk2,mcq,Two?,a,b,,A,,,,,,,\nk3,mcq,Three?,a,b,,A,,,,,,,\n"+
		"gone,mcq,Old?,a,b,,A,,,,,,,\nhalf,mcq,Half?,a,b,,A,,,,,en,,\nhalf,mcq,Halb?,a,b,,A,,Weil.,,,de,,\nfrench,mcq,Quoi?,a,b,,A,,,,,fr,,\n")
	h.must(intake.CommitPassages, "externalId,title,text,questions\nother,T,a,k3\n")
	h.must(intake.CommitEvaluations, "evaluation,question\nshelved,k1\n")
	gone, shelved := h.question("gone").ID, h.evaluation("shelved").ID
	h.write(func(tx *db.Tx) error {
		_, err := inventory.Archive(h.Context(), tx, inventory.Questions, gone)
		if err != nil {
			return err
		}
		_, err = inventory.Archive(h.Context(), tx, inventory.Evaluations, shelved)
		return err
	})
	h.writesIn("en", "de")
	return h
}

// For all mistakes in a file, in any mixture: the preview names exactly what the
// commit refuses, to the letter, and if the valid rows are wanted, exactly the rows that the
// preview calls valid are written.
func TestThePreviewIsTheCommit(t *testing.T) {
	t.Parallel()
	h := faulty(t)
	for _, kind := range []struct {
		name    string
		preview previewer
		commit  committer
		columns []choices
	}{
		{"users", intake.PreviewUsers, intake.CommitUsers, []choices{
			{"email", []string{"a@x.example", "b@x.example", "c@x.example", "C@X.example", "nobody", ""}}, {"name", []string{"", "Ann", "A\x01"}},
			{"orgUnits", []string{"", "main", "mars"}}, {"roles", []string{"", "candidate", "candidate;king"}}, {"meta.team", []string{"", "red"}}}},
		{"subjects", intake.PreviewSubjects, intake.CommitSubjects, []choices{
			{"externalId", []string{"s1", "s2", "s3", "s4", ""}}, {"name", []string{"One", "", strings.Repeat("x", 400)}}, {"kind", []string{"", "site"}}}},
		{"assignments", intake.PreviewAssignments, intake.CommitAssignments, []choices{
			{"evaluation", []string{"exam", "exam", "shelved", "none"}}, {"targetType", []string{"email", "group_id", "public_link", "moon"}},
			{"targetRef", []string{"x@x.example", "y@x.example", "Blue team", "", "nobody"}}, {"run_label", []string{"", "spring", "autumn"}},
			{"validFrom", []string{"", "2031-03-08", "soon"}}, {"validUntil", []string{"", "2031-03-01"}}, {"subject", []string{"", "site", "moon"}}}},
		{"questions", intake.PreviewQuestions, intake.CommitQuestions, []choices{
			{"externalId", []string{"n1", "n2", "n3", "n4", "k2", "gone", ""}}, {"qtype", []string{"mcq", "mcq", "mrq", "numeric", "riddle", ""}},
			{"stem", []string{"What?", "What?", "Why?", ""}}, {"optionA", []string{"a", "a", ""}}, {"optionB", []string{"b", "b", ""}},
			{"correct", []string{"A", "A", "B", "AB", "C", "7", ""}}, {"weight", []string{"", "2", "0", "x"}},
			{"terms", []string{"", "topic:maths", "topic:old", "topic:mats", "maths"}}, {"lang", []string{"", "en", "de", "fr", "no such"}},
			{"minSelections", []string{"", "1", "9", "x"}}}},
		{"passages", intake.PreviewPassages, intake.CommitPassages, []choices{
			{"externalId", []string{"p1", "p2", "p3", "other", ""}}, {"title", []string{"T", "T", ""}}, {"text", []string{"Text", "Text", ""}},
			{"lang", []string{"", "en", "de", "fr"}}, {"questions", []string{"", "k1", "k1;k2", "k3", "gone", "k9", "k2;k2"}}}},
		{"evaluations", intake.PreviewEvaluations, intake.CommitEvaluations, []choices{
			{"evaluation", []string{"e1", "e2", "e3", "e4", "shelved", ""}}, {"question", []string{"k1", "k1", "k2", "k3", "half", "french", "gone", "k9", ""}},
			{"section", []string{"", "A", "B"}}, {"weight", []string{"", "2", "0", "x"}}, {"passMarkPercent", []string{"", "50", "500"}},
			{"terms", []string{"", "topic:maths", "topic:old"}}, {"publish", []string{"", "", "yes", "perhaps"}}}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			b := h.bench
			b.T = t
			for seed := range uint64(25) {
				file := faultyFile(rand.New(rand.NewPCG(seed, 1)), kind.columns)
				b.previewIsCommit(kind.preview, kind.commit, file)
				if t.Failed() {
					t.Fatalf("seed %d:\n%s", seed, file)
				}
			}
		})
	}
}

// faultyFile has one to twelve rows; most cells are the first, which is right.
func faultyFile(r *rand.Rand, columns []choices) string {
	var out strings.Builder
	for i, c := range columns {
		fmt.Fprintf(&out, "%s%s", []string{"", ","}[min(i, 1)], c.column)
	}
	for range 1 + r.IntN(12) {
		out.WriteString("\n")
		for i, c := range columns {
			cell := c.cells[0]
			if i == 0 || r.IntN(3) == 0 {
				cell = c.cells[r.IntN(len(c.cells))]
			}
			fmt.Fprintf(&out, "%s%s", []string{"", ","}[min(i, 1)], cell)
		}
	}
	return out.String() + "\n"
}

func (b bench) previewIsCommit(preview previewer, commit committer, file string) {
	b.Helper()
	in := intake.Input{Data: []byte(file)}
	shown, err := b.preview(preview, in)
	want(b.T, err, "")
	events := b.count("ledger_events")
	if len(shown.Errors) > 0 {
		_, err = b.commit(commit, in)
		if diff := cmp.Diff(shown.Errors, refused(b.T, err)); diff != "" {
			b.Errorf("errors (-preview +commit):\n%s", diff)
		}
	}
	if n := b.count("ledger_events"); n != events {
		b.Errorf("preview and refused commit left %d events", n-events)
	}
	in.SkipInvalid = true
	done, err := b.commit(commit, in)
	want(b.T, err, "")
	if diff := cmp.Diff(shown.Errors, done.Errors); diff != "" || done.Total-done.Skipped != shown.ValidCount {
		b.Errorf("%s, %d valid in the preview; errors (-preview +commit):\n%s", counts(done), shown.ValidCount, diff)
	}
	in.SkipInvalid = false
	again, err := b.commit(commit, in)
	if err == nil && again.Created+again.Changed != 0 {
		b.Errorf("again: %s; want nothing new", counts(again))
	}
}

// A preview names what it cannot bring along: only the commit spends a step-up proof.
func TestThePreviewAsksForTheProofThatTheCommitNeeds(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	author := b.as(capability.EvaluationsWrite, capability.EvaluationsRead, capability.QuestionsRead, capability.QuestionsWrite)
	file := evaluationHeader + "e1,,,q1,,,,,,,,,,,yes\n"
	got, err := author.preview(intake.PreviewEvaluations, intake.Input{Data: []byte(file)})
	want(t, err, "")
	asked := []intake.Problem{{Line: 2, Column: "publish", Code: "step_up_required", Message: "publishing needs a step-up proof, which the commit has to bring"}}
	if diff := cmp.Diff(asked, got.Warnings); diff != "" || got.ErrorCount != 0 || got.ValidCount != 1 {
		t.Errorf("%d errors, warnings (-want +got):\n%s", got.ErrorCount, diff)
	}
	if n := b.count("evaluations") + b.count("verifications"); n != 0 {
		t.Errorf("the preview left %d rows", n)
	}
}

// If one cell of a row cannot be read, the others are still read, and checked with the database.
func TestAllThatIsWrongWithARowIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	h := faulty(t)
	for _, test := range []struct {
		name    string
		preview previewer
		file    string
		want    []string
	}{
		{"cells, rules and stored things of a question", intake.PreviewQuestions,
			"externalId,qtype,stem,optionA,correct,weight,terms,lang\ngone,mcq,,a,7,x,topic:old;topic:mats,fr\n",
			[]string{"2:weight:invalid_number", "2:stem:required", "2:correct:invalid_letters", "2:terms:unknown_term", "2:stem:required",
				"2:optionA:too_few_options", "2:externalId:archived", "2:lang:locale_not_enabled"}},
		{"a column that is missing, and the rows all the same", intake.PreviewQuestions,
			"externalId,qtype,optionA,optionB,correct,weight\nq,riddle,a,b,A,x\n",
			[]string{"1:stem:missing_column", "2:qtype:invalid_choice", "2:weight:invalid_number"}},
		{"bytes that are no text, and the rows all the same", intake.PreviewUsers, "email,roles\na\xff@x.example,\nnobody,king\n",
			[]string{"2:email:invalid_utf8", "3:email:invalid_email", "3:roles:unknown_role"}},
		{"an evaluation", intake.PreviewEvaluations, "evaluation,question,weight,passMarkPercent,terms\nshelved,k9,x,500,topic:mats\nshelved,gone,0,,\n",
			[]string{"2:weight:invalid_number", "2:terms:unknown_term", "2:question:unknown_question", "2:passMarkPercent:out_of_range",
				"2:evaluation:archived", "3:weight:out_of_range", "3:question:archived"}},
	} {
		got, err := h.preview(test.preview, intake.Input{Data: []byte(test.file)})
		want(t, err, "")
		named := map[string]bool{}
		for _, p := range problems(got) {
			named[p] = true
		}
		for _, p := range test.want {
			if !named[p] {
				t.Errorf("%s: %s is not named in %v", test.name, p, problems(got))
			}
		}
		if len(named) > len(test.want) {
			t.Errorf("%s: %v, want no more than %v", test.name, problems(got), test.want)
		}
	}
}

// A preview says how each number of its rows was read, for every column and kind of file.
func TestPreviewEchoesNumbers(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	for _, tt := range []struct {
		preview    previewer
		file, want string
	}{
		{intake.PreviewQuestions, "externalId;qtype;stem;correct;Weight;tolerance\nn;numeric;How much?;\"1,5±0,25\";2,5;\nm;numeric;How much?;3;;0.5\n",
			"[{Weight 2.5} {correct 1.5} {correct 0.25}] [{correct 3} {tolerance 0.5}]"},
		{intake.PreviewEvaluations, "evaluation,question,title,weight,passMarkPercent,timeLimitSeconds\ne,q1,Exam,0.125,62.5,3600\n",
			"[{passMarkPercent 62.5} {timeLimitSeconds 3600} {weight 0.125}]"},
	} {
		p, err := b.preview(tt.preview, intake.Input{Data: []byte(tt.file)})
		want(t, err, "")
		var got []string
		for _, row := range p.Rows {
			got = append(got, fmt.Sprint(row.Numbers))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("got %s, want %s", strings.Join(got, " "), tt.want)
		}
	}
	_, err := b.preview(intake.PreviewQuestions, intake.Input{Data: []byte("externalId\n"), Decimal: "dot"})
	want(t, err, errs.ValidationFailed)
}

// Rows add up to the total, in a preview and in a commit, and records add up to their results.
func TestCountsAddUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := intake.Input{SkipInvalid: true, Data: []byte(questionHeader +
		"q1,mcq,S,a,b,,A,,,,,en,,\nq1,mcq,S,a,b,,A,,,,,de,,\nq2,mcq,S,a,b,,A,,,,,en,,\nq2,mcq,S,a,b,,B,,,,,de,,\nq3,mcq,S,a,b,,,,,,,,,\nq4,mcq,S,a,b,,B,,,,,,,\n")}
	seen, err := b.preview(intake.PreviewQuestions, in)
	want(t, err, "")
	if got, wanted := []int{seen.Total, seen.ValidCount, seen.InvalidCount, seen.Records, seen.ErrorCount}, []int{6, 3, 3, 2, 2}; !slices.Equal(got, wanted) {
		t.Errorf("preview: total, valid, invalid, records, lines with errors %v, want %v", got, wanted)
	}
	done, err := b.commit(intake.CommitQuestions, in)
	want(t, err, "")
	if got, wanted := []int{done.Total, done.Written, done.Skipped, done.Records, done.Created, done.ErrorCount}, []int{6, 3, 3, 2, 2, 2}; !slices.Equal(got, wanted) {
		t.Errorf("commit: total, written, skipped, records, created, lines with errors %v, want %v", got, wanted)
	}
	again, err := b.commit(intake.CommitQuestions, in)
	want(t, err, "")
	if again.Records != again.Unchanged || again.Records != 2 {
		t.Errorf("again: %+v", again)
	}
}

// A problem of a whole line names no column, in a preview as in a refusal.
func TestTheColumnOfAProblemIsTheSameInPreviewAndCommit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := intake.Input{Data: []byte("externalId,qtype,stem,correct,option_A,optionB\nq1,mcq,S,A,a,b,c\nq2,mcq,S,,a,b\nq3,mcq,S,A,a,b\nq4,mcq,\"S\n")}
	seen, err := b.preview(intake.PreviewQuestions, in)
	want(t, err, "")
	_, err = b.commit(intake.CommitQuestions, in)
	want(t, err, errs.ImportInvalid)
	type place struct {
		Line         int
		Column, Code *string
	}
	placesIn := func(list any) (places []place) {
		raw, err := json.Marshal(list)
		want(t, err, "")
		want(t, json.Unmarshal(raw, &places), "")
		return places
	}
	if diff := cmp.Diff(placesIn(seen.Errors), placesIn(errs.Of(err).Fields)); diff != "" || len(seen.Errors) != 3 {
		t.Errorf("%d errors (-preview +commit):\n%s", len(seen.Errors), diff)
	}
}
