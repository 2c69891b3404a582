package intake_test

import (
	"assess/pkg/kernel/sheet"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/demo"
	"assess/pkg/surface/intake"
)

type exporter func(context.Context, *db.Tx, intake.Export, io.Writer) (int, error)

func (b bench) export(do exporter, in intake.Export) string {
	b.Helper()
	var file bytes.Buffer
	err := b.store.Report(b.Context(), b.scope, func(tx *db.Tx) error {
		_, err := do(b.Context(), tx, in, &file)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return file.String()
}

// returns exports and imports again: nothing may change, nor be lost on the way into an
// empty tenant, whose export is the same file.
func (b bench) returns(export exporter, commit committer, records int) string {
	b.Helper()
	file := b.export(export, intake.Export{})
	again, err := b.commit(commit, intake.Input{Data: []byte(file)})
	want(b.T, err, "")
	if again.Unchanged != records || again.Created+again.Changed+again.Published != 0 || len(again.Warnings) > 0 {
		b.Errorf("imported again: %s, warnings %v; want %d unchanged", counts(again), again.Warnings, records)
	}
	if found := formulas(b.T, file); len(found) > 0 {
		b.Errorf("a spreadsheet takes these for formulas: %q", found)
	}
	return file
}

// formulas gives the parts of cells that a spreadsheet computes.
func formulas(t *testing.T, file string) []string {
	t.Helper()
	text, marked := strings.CutPrefix(file, sheet.ByteOrderMark)
	if !marked {
		t.Error("the file has no byte order mark")
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, cell := range slices.Concat(rows...) {
		for _, part := range regexp.MustCompile(`[;\t\r\n]`).Split(cell, -1) {
			if _, err := strconv.ParseFloat(part, 64); err != nil && strings.ContainsAny(string([]rune(part + " ")[:1]), "=+-@＝＋－＠") {
				found = append(found, part)
			}
		}
	}
	return found
}

// table reads a file by its first column.
func table(t *testing.T, file string) map[string]map[string]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, sheet.ByteOrderMark))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]string{}
	for _, row := range rows[1:] {
		found[row[0]] = map[string]string{}
		for i, cell := range row {
			found[row[0]][rows[0][i]] = cell
		}
	}
	return found
}

func TestExportedBankReturnsUnchanged(t *testing.T) {
	t.Parallel()
	for file, n := range map[string]int{"bank.csv": 1841, "bank_i18n.csv": 431} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			b, other := newBench(t), newBench(t)
			source := string(testdata(t, file))
			b.must(intake.CommitQuestions, source)
			exported := b.returns(intake.ExportQuestions, intake.CommitQuestions, n)
			whole := 0
			for _, cells := range table(t, exported) {
				if cells["content"] != "" {
					whole++
				}
			}
			if whole > 5 { // the ones with a line of code that a spreadsheet takes for a formula
				t.Errorf("%d questions, which came from text, stand in the column content", whole)
			}
			other.must(intake.CommitQuestions, exported)
			if diff := cmp.Diff(exported, other.export(intake.ExportQuestions, intake.Export{})); diff != "" {
				t.Error("the export of another tenant that imported it is another file")
			}
		})
	}
}

func TestExportedSampleReturnsUnchanged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	data := demo.Sample()
	b.must(intake.CommitQuestions, string(data.QuestionsCSV()))
	b.returns(intake.ExportQuestions, intake.CommitQuestions, len(data.Items))
	b.must(intake.CommitEvaluations, string(data.EvaluationCSV("sample", "Sample exam", 60)))
	for id, cells := range table(t, b.returns(intake.ExportEvaluations, intake.CommitEvaluations, 1)) {
		if cells["content"] != "" {
			t.Errorf("%s, which came from columns, stands in the column content", id)
		}
	}
}

func TestExportedEvaluationKeepsEverySetting(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	b.must(intake.CommitEvaluations, "evaluation,title,section,question,weight,passMarkPercent,timeLimitSeconds,feedbackMode,reviewPolicy,"+
		"maxAttemptsPerUser,cooloffSeconds,navigation,shuffleItems,shuffleOptions,rounding,negativeMarking,defaultOutcome,"+
		"sectionTimeLimitSeconds,settings,terms\n"+
		`e1,"=Exam ""1""",Two,q3,2.5,62.5,3600,items,four_eyes,3,60,linear,yes,yes,2,0.25,fail,600,`+
		`"{""verificationLevel"":""L2"",""lockdown"":{""required"":true},""feedbackPolicy"":{""showCorrect"":true}}",topic:maths;level:b1`+"\n"+
		"e1,,One,q1,,,,,,,,,,,,,,,,\ne1,,,q2,,,,,,,,,,,,,,,,\ne2,,,q1,,,,,,,,,,,,,,,,\n")
	file := b.returns(intake.ExportEvaluations, intake.CommitEvaluations, 2)
	if strings.Contains(file, "questionId") {
		t.Errorf("an evaluation that came from columns stands in the column content:\n%s", file)
	}
	other := withQuestions(t)
	other.must(intake.CommitEvaluations, file)
	if diff := cmp.Diff(file, other.export(intake.ExportEvaluations, intake.Export{})); diff != "" {
		t.Errorf("the export of another tenant that imported it (-first +second):\n%s", diff)
	}
	got := b.evaluation("e1").Draft
	if len(got.TaxonomyTermIDs) != 2 || got.Settings.VerificationLevel != "L2" || *got.Sections[0].TimeLimitSeconds != 600 || got.Sections[0].Title != "Two" {
		t.Errorf("evaluation = %+v", got)
	}
}

// Parts that have no columns are in content: draws, sections without items or with the same title.
func TestExportedEvaluationKeepsWhatHasNoColumn(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	q1, q2 := b.question("q1").ID, b.question("q2").ID
	b.must(intake.CommitQuestions, questionHeader+"q4,mcq,S,a,b,,A,,,topic:maths,,,,\n")
	term := b.question("q4").Draft.TaxonomyTermIDs
	sections := map[string][]authoring.SectionInput{
		"empty":      {},
		"no items":   {{Title: "A"}, {Title: "B", Items: []authoring.ItemInput{{QuestionID: q1}}}},
		"one title":  {{Title: "A", Items: []authoring.ItemInput{{QuestionID: q1}}}, {Title: "A", Items: []authoring.ItemInput{{QuestionID: q2}}}},
		"with draws": {{Title: "A", Items: []authoring.ItemInput{{QuestionID: q1}, {Draw: &authoring.Draw{Count: 2, TaxonomyTermIDs: term}}}}},
	}
	want(t, b.store.Write(t.Context(), b.scope, func(tx *db.Tx) error {
		for name, one := range sections {
			_, err := authoring.CreateEvaluation(t.Context(), tx, authoring.EvaluationInput{ExternalID: name, Title: " " + name, Sections: one})
			if err != nil {
				return err
			}
		}
		return nil
	}), "")
	b.returns(intake.ExportEvaluations, intake.CommitEvaluations, len(sections))
}

func TestExportKeepsRightToLeftTextByteForByte(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	source := string(testdata(t, "bank_i18n.csv"))
	b.must(intake.CommitQuestions, source)
	exported := table(t, b.export(intake.ExportQuestions, intake.Export{}))
	for id, cells := range table(t, source) {
		if cells["lang"] != "ar" || cells["format"] != "plain" {
			continue
		}
		for _, column := range []string{"stem", "option_A", "option_B", "option_C", "option_D"} {
			wanted, got := strings.TrimSpace(cells[column]), exported[id][strings.Replace(column, "_", "", 1)]
			if got != wanted {
				t.Errorf("%s of %s is %q, want %q", column, id, got, wanted)
			}
		}
	}
}

// A spreadsheet of any country takes no cell of an export for a formula, and an import reads the author's
// text.
func TestExportHasNoFormulas(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must(intake.CommitQuestions, questionHeader+"q1,mcq,=1+1,+a,-b,@c,A,,,,,,,\n"+
		"q2,mcq,\"\"\"a\"\"\n\nb, c;d\",\"\"\"\",\";\",,A,,,,,,,\nq3,mcq,\"=\"\"x\"\"\",*a*,_b_,,A,,,,,de,,no\n")
	b.must(intake.CommitQuestions, "externalId,qtype,stem,correct,optionA,optionB\n"+
		"q4,short_text,What adds up?,=A1+B1|'=1|-5,,\nq5,mcq,a;=b;-5;＝c,A,'=x,\"1;\t@y\"\n'=q6,mcq,\"x\n-5\n-y\",A,＝,'-ing\nq7,numeric,-5,-5,,\n")
	file := b.returns(intake.ExportQuestions, intake.CommitQuestions, 7)
	got := table(t, file)["q1"]
	if diff := cmp.Diff([]string{`\=1+1`, `\+a`, `\-b`, `\@c`}, []string{got["stem"], got["optionA"], got["optionB"], got["optionC"]}); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

func TestExportChooses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must(intake.CommitQuestions, questionHeader+"q1,mcq,S,a,b,,A,,,,,,,\nq2,mrq,S,a,b,,A,,,,,,,\nq3,mcq,S,a,b,,A,,,,,,,\n")
	publish(b, "q3")
	tests := []struct {
		name   string
		filter authoring.ExportFilter
		want   []string
	}{
		{"all", authoring.ExportFilter{}, []string{"q1", "q2", "q3"}},
		{"drafts", authoring.ExportFilter{Status: "draft"}, []string{"q1", "q2"}},
		{"published", authoring.ExportFilter{Status: "published"}, []string{"q3"}},
		{"of one type", authoring.ExportFilter{QType: "mrq"}, []string{"q2"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := slices.Sorted(maps.Keys(table(t, b.export(intake.ExportQuestions, intake.Export{ExportFilter: test.filter}))))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("questions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExportNeedsQuestionsRead(t *testing.T) {
	t.Parallel()
	b := newBench(t).as(capability.QuestionsWrite)
	err := b.store.Report(t.Context(), b.scope, func(tx *db.Tx) error {
		_, err := intake.ExportQuestions(t.Context(), tx, intake.Export{}, io.Discard)
		return err
	})
	want(t, err, errs.Forbidden)
}

func TestExportGoesOverManyPages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must(intake.CommitQuestions, questionHeader+manyQuestions(1200))
	var told []int
	rows := table(t, b.export(intake.ExportQuestions, intake.Export{Progress: func(done int) { told = append(told, done) }}))
	if diff := cmp.Diff([]int{500, 1000, 1200}, told); diff != "" || len(rows) != 1200 {
		t.Errorf("%d questions, progress (-want +got):\n%s", len(rows), diff)
	}
}

// A record without an external id goes by its id, into the file and out of it.
func TestExportFindsRecordsWithoutExternalIDAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	want(t, b.store.Write(t.Context(), b.scope, func(tx *db.Tx) error {
		in := sample.QuestionInput("A")
		in.ExternalID = ""
		q, err := authoring.CreateQuestion(t.Context(), tx, in)
		if err != nil {
			return err
		}
		_, err = authoring.CreateEvaluation(t.Context(), tx, authoring.EvaluationInput{Title: "E",
			Sections: []authoring.SectionInput{{Items: []authoring.ItemInput{{QuestionID: q.ID}}}}})
		if err != nil {
			return err
		}
		p, err := authoring.CreatePassage(t.Context(), tx, authoring.PassageInput{Title: "P", Content: []byte(`"Text"`)})
		if err != nil {
			return err
		}
		_, err = authoring.SetPassageQuestions(t.Context(), tx, p.ID, authoring.PassageQuestionsInput{QuestionIDs: []ids.ID{q.ID}})
		return err
	}), "")
	b.returns(intake.ExportQuestions, intake.CommitQuestions, 1)
	b.returns(intake.ExportPassages, intake.CommitPassages, 1)
	b.returns(intake.ExportEvaluations, intake.CommitEvaluations, 1)
}

func (b bench) archive(table, externalID string) {
	b.Helper()
	b.write(func(tx *db.Tx) error {
		_, err := tx.Exec(b.Context(), "update "+table+" set status = 'archived' where tenant_id = $1 and external_id = $2", tx.Tenant(), externalID)
		return err
	})
}

// A draft that is not complete keeps no other row from coming in again, here or in another tenant.
func TestIncompleteDraftsReturnUnchanged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	stem := said("What?")
	option := authoring.OptionInput{Content: said("A"), IsCorrect: true}
	b.write(func(tx *db.Tx) error {
		for name, in := range map[string]authoring.QuestionInput{
			"no-key":     {QType: "mcq", Stem: stem, Options: []authoring.OptionInput{{Content: option.Content}, {Content: option.Content}}},
			"one-option": {QType: "mcq", Stem: stem, Options: []authoring.OptionInput{option}},
			"no-options": {QType: "mrq", Stem: stem},
			"no-number":  {QType: "numeric", Stem: stem},
			"no-answer":  {QType: "short_text", Stem: stem},
			"no-words":   {QType: "essay", Stem: said("")},
			"whole":      {QType: "mcq", Stem: stem, Options: []authoring.OptionInput{option, {Content: option.Content}}},
		} {
			in.ExternalID = name
			_, err := authoring.CreateQuestion(t.Context(), tx, in)
			if err != nil {
				return err
			}
		}
		_, err := authoring.CreateEvaluation(t.Context(), tx, authoring.EvaluationInput{ExternalID: "empty", Title: "E"})
		return err
	})
	file := b.export(intake.ExportQuestions, intake.Export{})
	done := b.must(intake.CommitQuestions, file)
	if done.Unchanged != 7 || len(done.Warnings) != 6 {
		t.Errorf("imported again: %s, warnings %v; want 7 unchanged and 6 warnings", counts(done), done.Warnings)
	}
	b.returns(intake.ExportEvaluations, intake.CommitEvaluations, 1)
	other := newBench(t)
	other.must(intake.CommitQuestions, file)
	if diff := cmp.Diff(table(t, file), table(t, other.export(intake.ExportQuestions, intake.Export{}))); diff != "" {
		t.Errorf("exported from another tenant (-sent +got):\n%s", diff)
	}
	_, err := b.commit(intake.CommitQuestions, intake.Input{Data: []byte("externalId,qtype,stem,correct,optionA\nq,mcq,S,A,a\n")})
	want(t, err, errs.ImportInvalid) // columns hold only complete questions
}

// An archived record is imported again as it is, and is refused as soon as the file differs.
func TestArchivedRecordsReturnUnchanged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must(intake.CommitQuestions, questionHeader+"q1,mcq,S,a,b,,A,,,,,,,\nq2,mcq,S,a,b,,A,,,,,,,\nq3,mcq,S,a,b,,A,,,,,,,\n")
	b.must(intake.CommitPassages, "externalId,title,text,questions\np1,T,Text,q1;q2\np2,T,Text,\n")
	b.must(intake.CommitEvaluations, "evaluation,question\ne1,q1\n")
	b.archive("questions", "q1")
	b.returns(intake.ExportPassages, intake.CommitPassages, 2)
	b.returns(intake.ExportEvaluations, intake.CommitEvaluations, 1)
	b.archive("passages", "p1")
	b.archive("evaluations", "e1")
	archived := intake.Export{ExportFilter: authoring.ExportFilter{Status: "archived"}}
	for _, one := range []struct {
		export   exporter
		commit   committer
		preview  previewer
		old, new string
	}{
		{intake.ExportQuestions, intake.CommitQuestions, intake.PreviewQuestions, ",S,", ",Other,"},
		{intake.ExportPassages, intake.CommitPassages, intake.PreviewPassages, ",Text,", ",Other,"},
		{intake.ExportPassages, intake.CommitPassages, intake.PreviewPassages, "q1;q2", "q1"},
		{intake.ExportPassages, intake.CommitPassages, intake.PreviewPassages, "q1;q2", "q2;q1"},
		{intake.ExportEvaluations, intake.CommitEvaluations, intake.PreviewEvaluations, "e1,e1", "e1,Other"},
	} {
		file := b.export(one.export, archived)
		if done := b.must(one.commit, file); done.Unchanged != 1 || done.Created+done.Changed > 0 {
			t.Errorf("imported again: %s\n%s", counts(done), file)
		}
		changed := intake.Input{Data: []byte(strings.Replace(file, one.old, one.new, 1))}
		_, err := b.commit(one.commit, changed)
		want(t, err, errs.ImportInvalid)
		seen, err := b.preview(one.preview, changed)
		want(t, err, "")
		if len(seen.Errors) != 1 || seen.Errors[0].Code != "archived" {
			t.Errorf("preview of a change: %v, want archived", seen.Errors)
		}
	}
	_, err := b.commit(intake.CommitPassages, intake.Input{Data: []byte("externalId,title,text,questions\np2,T,Text,q1\n")})
	want(t, err, errs.ImportInvalid)
}

func said(text string) json.RawMessage {
	raw, _ := json.Marshal(content.FromPlain("en", text))
	return raw
}
