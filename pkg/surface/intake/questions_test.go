package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

const questionHeader = "externalId,qtype,stem,optionA,option_B,Option C,correct,weight,explanation,terms,tags,lang,format,contributesToScore\n"

func (b bench) question(externalID string) authoring.Question {
	b.Helper()
	var q authoring.Question
	err := b.store.Read(b.Context(), b.scope, func(tx *db.Tx) error {
		found, err := authoring.FindQuestions(b.Context(), tx, []string{externalID})
		if err != nil {
			return err
		}
		q, err = authoring.GetQuestion(b.Context(), tx, found[externalID])
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return q
}

func TestQuestionIsWrittenAsTheFileSays(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must(intake.CommitQuestions, questionHeader+
		"q1,multiple,What *is* prime?,2,3,4,AB,2.5,Only 4 is even and above 2.,topic:Primes,maths;fun,en,markdown,no\n"+
		"q1,mrq,Was ist prim?,2,3,4,A;B,,,topic:primes,,de,plain,\n")
	got := b.question("q1").Draft
	if got.QType != "mrq" || got.Weight != 2.5 || got.ContributesToScore {
		t.Errorf("qtype %s, weight %v, contributes %v; want mrq, 2.5 and false", got.QType, got.Weight, got.ContributesToScore)
	}
	texts := map[string]string{}
	for locale, payload := range got.Stem.Locales {
		texts[locale] = payload.PlainText()
	}
	if diff := cmp.Diff(map[string]string{"en": "What is prime?", "de": "Was ist prim?"}, texts); diff != "" || got.Stem.DefaultLocale != "en" {
		t.Errorf("default locale %s, stem (-want +got):\n%s", got.Stem.DefaultLocale, diff)
	}
	key := map[string]bool{}
	for _, o := range got.Options {
		key[o.ID] = o.IsCorrect
	}
	if diff := cmp.Diff(map[string]bool{"A": true, "B": true, "C": false}, key); diff != "" {
		t.Errorf("key (-want +got):\n%s", diff)
	}
	want(t, b.store.Read(t.Context(), b.scope, func(tx *db.Tx) error {
		names, err := taxonomy.Names(t.Context(), tx, got.TaxonomyTermIDs)
		tags := map[string]string{}
		for _, n := range names {
			tags[n.Term] = n.Facet
		}
		if diff := cmp.Diff(map[string]string{"primes": "topic", "maths": "tags", "fun": "tags"}, tags); diff != "" {
			t.Errorf("terms (-want +got):\n%s", diff)
		}
		return err
	}), "")
}

func TestQuestionProblems(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	type list = []string
	tests := []struct {
		name, rows string
		want       list
	}{
		{"good", "q,mcq,S,a,b,,A,,,,,,,\n", list{}},
		{"letters in many ways", "q,mrq,S,a,b,c,\"a, C\",,,,,,,\n", list{}},
		{"empty", "q,,,,,,,,,,,,,\n", list{"2:qtype:required", "2:stem:required", "2:correct:required"}},
		{"no external id", ",mcq,S,a,b,,A,,,,,,,\n", list{"2:externalId:required"}},
		{"unknown type", "q,riddle,S,a,b,,A,,,,,,,\n", list{"2:qtype:invalid_choice"}},
		{"a match in columns", "q,matching,S,a,b,,A,,,,,,,\n", list{"2:content:required"}},
		{"right option missing", "q,mcq,S,a,b,,C,,,,,,,\n", list{"2:correct:unknown_option"}},
		{"not letters", "q,mcq,S,a,b,,1,,,,,,,\n", list{"2:correct:invalid_letters"}},
		{"two right options of an mcq", "q,mcq,S,a,b,,AB,,,,,,,\n", list{"2:correct:one_correct_option"}},
		{"letter twice", "q,mrq,S,a,b,,AA,,,,,,,\n", list{"2:correct:duplicate_option"}},
		{"one option", "q,mcq,S,a,,,A,,,,,,,\n", list{"2:optionA:too_few_options"}},
		{"weight", "q,mcq,S,a,b,,A,heavy,,,,,,\n", list{"2:weight:invalid_number"}},
		{"weight of nothing", "q,mcq,S,a,b,,A,0,,,,,,\n", list{"2:weight:out_of_range"}},
		{"term without facet", "q,mcq,S,a,b,,A,,,maths,,,,\n", list{"2:terms:invalid_term"}},
		{"tag without letters", "q,mcq,S,a,b,,A,,,,--,,,\n", list{"2:tags:invalid_term"}},
		{"language", "q,mcq,S,a,b,,A,,,,,english please,,\n", list{"2:lang:invalid_locale"}},
		{"format", "q,mcq,S,a,b,,A,,,,,,word,\n", list{"2:format:invalid_choice"}},
		{"contributes", "q,mcq,S,a,b,,A,,,,,,,perhaps\n", list{"2:contributesToScore:invalid_choice"}},
		{"language twice", "q,mcq,S,a,b,,A,,,,,en,,\nq,mcq,S,a,b,,A,,,,,EN,,\n", list{"3:lang:duplicate_locale"}},
		{"other key in another language", "q,mcq,S,a,b,,A,,,,,en,,\nq,mcq,S,a,b,,B,,,,,de,,\n", list{"3:correct:options_disagree"}},
		{"other options in another language", "q,mcq,S,a,b,,A,,,,,en,,\nq,mcq,S,a,b,c,A,,,,,de,,\n", list{"3:correct:options_disagree"}},
		{"other type and weight", "q,mcq,S,a,b,,A,1,,,,en,,\nq,mrq,S,a,b,,A,2,,,,de,,no\n",
			list{"3:qtype:rows_disagree", "3:weight:rows_disagree", "3:contributesToScore:rows_disagree"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := b.preview(intake.PreviewQuestions, intake.Input{Data: []byte(questionHeader + test.rows)})
			want(t, err, "")
			if diff := cmp.Diff(test.want, problems(got)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if (len(test.want) > 0) == (got.ValidCount > 0) {
				t.Errorf("%d valid rows beside %d problems", got.ValidCount, len(test.want))
			}
		})
	}
}

const keyHeader = "externalId,qtype,stem,optionA,optionB,correct,tolerance,scoring,minSelections,maxSelections,content,lang\n"

func TestEachTypeHasItsKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must(intake.CommitQuestions, keyHeader+
		"m,multiple,S,a,b,AB,,partial,1,2,,\n"+
		"t,short_text,S,,,Lake Constance| the \\| pipe |C:\\dir,,,,,,en\n"+
		"t,Short Text,S,,,Bodensee|LAKE  constance,,,,,,de\n"+
		"n,numeric,S,,,\"3,5\",0.1,,,,,\n"+
		"p,numeric,S,,,3.5 ± 0.1,,,,,,\n"+
		"q,numeric,S,,,-3.5+-0.1,,,,,,\n"+
		"e,essay,S,,,,,,,,,\n")
	number, minus := 3.5, -3.5
	wanted := map[string]authoring.QuestionScoring{
		"m": {Method: "partial", MinSelections: 1, MaxSelections: 2},
		"t": {AcceptedAnswers: []string{"Lake Constance", "the | pipe", `C:\dir`, "Bodensee"}},
		"n": {Value: &number, Tolerance: 0.1},
		"p": {Value: &number, Tolerance: 0.1},
		"q": {Value: &minus, Tolerance: 0.1},
		"e": {},
	}
	for id, scoring := range wanted {
		if diff := cmp.Diff(scoring, b.question(id).Draft.Scoring); diff != "" {
			t.Errorf("scoring of %s (-want +got):\n%s", id, diff)
		}
	}
}

func TestKeyProblems(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	type list = []string
	tests := []struct {
		name, rows string
		want       list
	}{
		{"scoring", "q,mrq,S,a,b,A,,some,,,,\n", list{"2:scoring:invalid_choice"}},
		{"partial mcq", "q,mcq,S,a,b,A,,partial,,,,\n", list{"2:scoring:unsupported"}},
		{"bounds", "q,mrq,S,a,b,A,,,2,3,,\n", list{"2:minSelections:out_of_range", "2:maxSelections:out_of_range"}},
		{"no accepted answer", "q,short_text,S,,, | ,,,,,,\n", list{"2:correct:required"}},
		{"accepted answer twice", "q,short_text,S,,,a|A,,,,,,\n", list{"2:correct:duplicate_answer"}},
		{"options of a short_text", "q,short_text,S,a,b,a,,,,,,\n", list{"2:optionA:unsupported"}},
		{"no number", "q,numeric,S,,,,,,,,,\n", list{"2:correct:required"}},
		{"not a number", "q,numeric,S,,,three,,,,,,\n", list{"2:correct:invalid_number"}},
		{"not a tolerance", "q,numeric,S,,,3±,,,,,,\n", list{"2:correct:invalid_number"}},
		{"two tolerances", "q,numeric,S,,,3±1,2,,,,,\n", list{"2:tolerance:rows_disagree"}},
		{"tolerance below 0", "q,numeric,S,,,3,-1,,,,,\n", list{"2:tolerance:out_of_range"}},
		{"key of an essay", "q,essay,S,,,x,,,,,,\n", list{"2:correct:unsupported"}},
		{"number in another language", "q,numeric,S,,,3,,,,,,en\nq,numeric,S,,,4,,,,,,de\n", list{"3:correct:rows_disagree"}},
		{"content that is no JSON", "q,essay,,,,,,,,,{,\n", list{"2:content:malformed_json"}},
		{"content with an unknown field", "q,essay,,,,,,,,,\"{\"\"colour\"\":1}\",\n", list{"2:content:malformed_json"}},
		{"content of another type", "q,essay,,,,,,,,,\"{\"\"qtype\"\":\"\"mcq\"\"}\",\n", list{"2:qtype:rows_disagree", "2:content:required"}},
		{"content without a stem", "q,essay,,,,,,,,,{},\n", list{"2:content:required"}},
		{"cells beside content", "q,essay,S,,,,,,,,{},\n", list{"2:stem:beside_content", "2:content:required"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := b.preview(intake.PreviewQuestions, intake.Input{Data: []byte(keyHeader + test.rows)})
			want(t, err, "")
			if diff := cmp.Diff(test.want, problems(got)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChangedQuestionBecomesANewDraft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := questionHeader + "q1,mcq,One?,a,b,,A,,,,,,,\nq2,mcq,Two?,a,b,,A,,,,,,,\n"
	b.must(intake.CommitQuestions, first)
	publish(b, "q1", "q2")
	if got, wanted := counts(b.must(intake.CommitQuestions, first)), "total 2 created 0 changed 0 unchanged 2 skipped 0 published 0"; got != wanted {
		t.Errorf("again: got %s, want %s", got, wanted)
	}
	second := questionHeader + "q1,mcq,One!,a,b,,A,,,,,,,\nq2,mcq,Two?,a,b,,A,,,,,,,\n"
	if got, wanted := counts(b.must(intake.CommitQuestions, second)), "total 2 created 0 changed 1 unchanged 1 skipped 0 published 0"; got != wanted {
		t.Errorf("changed: got %s, want %s", got, wanted)
	}
	q := b.question("q1")
	if q.Draft == nil || q.Draft.Number != 2 || q.Published == nil || q.Published.Number != 1 {
		t.Errorf("draft %v and published %v, want versions 2 and 1", q.Draft, q.Published)
	}
}

func publish(b bench, externalIDs ...string) {
	b.Helper()
	var questions []ids.ID
	for _, id := range externalIDs {
		questions = append(questions, b.question(id).ID)
	}
	err := b.store.Write(b.Context(), b.scope, func(tx *db.Tx) error {
		_, err := authoring.PublishQuestions(b.Context(), tx, questions)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

func TestHalfAQuestionIsNotImported(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	done, err := b.commit(intake.CommitQuestions, intake.Input{SkipInvalid: true, Data: []byte(questionHeader +
		"q1,mcq,S,a,b,,A,,,,,en,,\nq1,mcq,S,a,b,,B,,,,,de,,\nq2,mcq,S,a,b,,A,,,,,,,\n")})
	want(t, err, "")
	if got, wanted := counts(done), "total 3 created 1 changed 0 unchanged 0 skipped 2 published 0"; got != wanted {
		t.Errorf("got %s, want %s", got, wanted)
	}
}

// The terms of the cells join a question after the rest of it was checked.
func TestQuestionOfTooManyTerms(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var tags strings.Builder
	for i := range 101 {
		fmt.Fprintf(&tags, "tag %d;", i)
	}
	in := intake.Input{Data: []byte(questionHeader + "q1,mcq,S,a,b,,A,,,," + tags.String() + ",,,\n"), CreateTerms: true}
	tooMany := func() {
		_, err := b.commit(intake.CommitQuestions, in)
		want(t, err, errs.ImportInvalid)
		if got := errs.Of(err).Fields; len(got) != 1 || got[0].Code != "too_many" || got[0].Column != "tags" {
			t.Errorf("got %v, want too_many", got)
		}
	}
	tooMany()
	for i := range 101 {
		b.must(intake.CommitQuestions, questionHeader+fmt.Sprintf("other,mcq,S,a,b,,A,,,,tag %d,,,\n", i))
	}
	in.CreateTerms = false
	tooMany()
}

func TestNewTermsAreMadeWhereTheFileMayMakeThem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	file := intake.Input{Data: []byte(questionHeader + "q1,mcq,S,a,b,,A,,,topic:Maths,,,,\n")}
	mayMake := file
	mayMake.CreateTerms = true
	author := b.as(capability.QuestionsWrite, capability.TaxonomyRead)
	got, err := author.preview(intake.PreviewQuestions, file)
	want(t, err, "")
	if diff := cmp.Diff([]string{"2:terms:unknown_term"}, problems(got)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	_, err = b.as(capability.QuestionsRead).preview(intake.PreviewQuestions, file)
	want(t, err, errs.Forbidden)
	_, err = author.preview(intake.PreviewQuestions, mayMake)
	want(t, err, errs.Forbidden)
	maker := b.as(capability.QuestionsWrite, capability.TaxonomyRead, capability.TaxonomyManage)
	_, err = maker.commit(intake.CommitQuestions, file)
	want(t, err, errs.ImportInvalid)
	_, err = maker.preview(intake.PreviewQuestions, mayMake)
	want(t, err, "")
	if n := b.count("terms"); n != 0 {
		t.Errorf("a preview and a refused file made %d terms", n)
	}
	_, err = maker.commit(intake.CommitQuestions, mayMake)
	want(t, err, "")
	_, err = author.commit(intake.CommitQuestions, file)
	want(t, err, "")
}

// A word that differs from a term in a letter or two is a typing mistake, and the error names
// the term; it does not name retired or less similar terms.
func TestUnknownTermsComeWithTheTermsNearThem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must(intake.CommitTerms, "facet,slug,retired\ntopic,mathematics,\ntopic,physics,\ntopic,mathematik,yes\ntags,easy,\n")
	for _, test := range []struct{ terms, tags, column, message string }{
		{"topic:Matematics", "", "terms", "near it are topic:mathematics"},
		{"topics:mathematics", "", "terms", "near it are topic:mathematics"},
		{"", "eesy", "tags", "near it are tags:easy"},
		{"topic:botany", "", "terms", "createTerms"},
	} {
		file := intake.Input{Data: []byte(questionHeader + "q1,mcq,S,a,b,,A,,," + test.terms + "," + test.tags + ",,,\n")}
		_, err := b.commit(intake.CommitQuestions, file)
		want(t, err, errs.ImportInvalid)
		got := errs.Of(err).Fields
		if len(got) != 1 || got[0].Line != 2 || got[0].Column != test.column || got[0].Code != "unknown_term" || !strings.Contains(got[0].Message, test.message) ||
			strings.Contains(got[0].Message, "mathematik") {
			t.Errorf("%+v: got %v", test, got)
		}
	}
}

// Markdown that a document cannot keep is a warning with its line in the file, in preview and commit alike,
// in each column of questions and passages.
func TestMarkdownIsNotLostInSilence(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, tt := range []struct {
		preview    previewer
		commit     committer
		file, want string
	}{
		{intake.PreviewQuestions, intake.CommitQuestions, "externalId,qtype,format,stem,optionA,optionB,correct,explanation\n" +
			"q0,mcq,plain,\"> a\",![x](y),b,A,---\n" +
			"q1,mcq,markdown,\"Look:\n\n> a\n\n![leaf](a.png)\",\"\n\n[a](b.html)\",\"b\n\n---\",A,\"```go\nx\n```\"\n",
			"5:stem:lost_quote 7:stem:lost_image 9:optionA:lost_link 11:explanation:lost_code 11:optionB:lost_rule"},
		{intake.PreviewPassages, intake.CommitPassages, "externalId,title,format,Text\np1,T,Markdown,\"2. a\n\n[b](http://c.d \"\"t\"\")\"\n",
			"2:Text:lost_list_start 4:Text:lost_title"},
	} {
		p, err := b.preview(tt.preview, intake.Input{Data: []byte(tt.file)})
		want(t, err, "")
		done := b.must(tt.commit, tt.file)
		for _, got := range [][]intake.Problem{p.Warnings, done.Warnings} {
			var words []string
			for _, w := range got {
				words = append(words, fmt.Sprintf("%d:%s:%s", w.Line, w.Column, w.Code))
			}
			if found := strings.Join(words, " "); found != tt.want {
				t.Errorf("got %s, want %s", found, tt.want)
			}
		}
	}
}
