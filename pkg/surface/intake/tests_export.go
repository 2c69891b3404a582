package intake

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// TestFormats are the names that the format of ExportTests may have: csv, and formats that hold tests.
func TestFormats() []string {
	return slices.DeleteFunc(ExportFormats(), func(name string) bool {
		return name != csvFormat && !slices.ContainsFunc(exchange.Formats, func(f exchange.Format) bool { return f.Name == name && f.HasTests() })
	})
}

// ExportTests writes the evaluations of the home org unit as tests, each in its newest version, with their questions in their
// newest versions, and says what the format loses. One evaluation, where given, is the only one. It leaves out evaluations that
// the format cannot hold, or that would lose a question, and what would be scored differently, unless the caller accepts that.
// It needs evaluations.read and questions.read. Errors: not_found.
func ExportTests(ctx context.Context, tx *db.Tx, in BankExport, one ids.ID, to io.Writer) (exchange.Report, error) {
	i := slices.IndexFunc(exchange.Formats, func(f exchange.Format) bool { return f.Writes() && f.HasTests() && f.Name == in.Format })
	if i < 0 {
		return exchange.Report{}, errs.Invalid(errs.Field{Path: "format", Code: "invalid_choice", Message: "there is no such format of tests"})
	}
	format := exchange.Formats[i]
	e := exporting{in: in, format: format, to: format.NewWriter(to), report: exchange.Report{From: ownFormat, To: format.Name, Notices: []exchange.ItemNotice{}, Counts: map[string]int{}}}
	tests, questions, err := testsOf(ctx, tx, in, one)
	if err != nil {
		return e.report, err
	}
	for some := range slices.Chunk(questions, exportPage) {
		page, err := authoring.ExportQuestionsOf(ctx, tx, some)
		if err == nil {
			err = e.page(ctx, tx, page)
		}
		if err != nil {
			return e.report, err
		}
		if in.Progress != nil {
			in.Progress(e.report.Items)
		}
	}
	writer := e.to.(exchange.TestWriter) //nolint:forcetypeassert // a format that has tests and is written writes them
	for _, t := range tests {
		err := e.report.AddTest(writer, t, in.AcceptScoringChanges)
		if err != nil {
			return e.report, fmt.Errorf("write export: %w", err)
		}
	}
	err = e.to.Close()
	if err != nil {
		return e.report, fmt.Errorf("write export: %w", err)
	}
	return e.report, nil
}

// PreviewTestExport says what ExportTests would lose and leave out; of a table, nothing.
func PreviewTestExport(ctx context.Context, tx *db.Tx, in BankExport, one ids.ID) (exchange.Report, error) {
	in.Open = nil
	if in.Format != "" && in.Format != csvFormat {
		return ExportTests(ctx, tx, in, one, io.Discard)
	}
	n, err := ExportEvaluations(ctx, tx, in.Export, io.Discard)
	return exchange.Report{From: ownFormat, To: csvFormat, Items: n, Whole: n, Notices: []exchange.ItemNotice{}, Counts: map[string]int{}}, err
}

// testsOf gives the evaluations as tests, and the ids of their questions, each once.
func testsOf(ctx context.Context, tx *db.Tx, in BankExport, one ids.ID) ([]*bank.Test, []ids.ID, error) {
	var tests []*bank.Test
	var questions []ids.ID
	for after := ids.None; ; {
		page, err := authoring.ExportEvaluations(ctx, tx, in.ExportFilter, after, exportPage)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range page {
			if one == ids.None || one == e.ID {
				tests = append(tests, testOf(e))
				questions = append(questions, e.Questions()...)
			}
		}
		if len(page) < exportPage {
			break
		}
		after = page[len(page)-1].ID
	}
	if one != ids.None && len(tests) == 0 {
		return nil, nil, errs.New(errs.NotFound, "There is no such evaluation in your org unit.")
	}
	return tests, distinct(questions), nil
}

// testOf gives an evaluation as a test.
func testOf(e authoring.ExportedEvaluation) *bank.Test {
	in := e.Input
	t := &bank.Test{Item: bank.Item{ID: keyCell(in.ExternalID, e.ID), Name: in.Title}, TimeLimit: in.Settings.TimeLimitSeconds,
		Linear: in.Settings.Navigation == "linear", Shuffled: in.Settings.ShuffleItems}
	leaveSettings(t, in.Settings)
	if len(in.TaxonomyTermIDs) > 0 {
		t.Lose(bank.TestSettingDropped, "terms")
	}
	for _, s := range in.Sections {
		one := bank.TestSection{Title: s.Title, TimeLimit: s.TimeLimitSeconds}
		for _, i := range s.Items {
			switch {
			case i.Draw != nil:
				t.Lose(bank.UnsupportedTestPart, "questions drawn for each session")
			case i.PassageID != ids.None:
				t.Lose(bank.UnsupportedTestPart, "a passage with its questions")
			default:
				one.Items = append(one.Items, bank.TestItem{ID: keyCell(e.ExternalIDs[i.QuestionID], i.QuestionID), Weight: i.Weight})
			}
		}
		t.Section(one)
	}
	if len(t.Sections) == 0 && t.Usable() {
		t.Refuse(bank.Incomplete, "the evaluation has no questions")
	}
	return t
}

// leaveSettings notes the settings that a test cannot have.
func leaveSettings(t *bank.Test, s authoring.Settings) {
	c := s.ScoringConfig
	if s.PassMarkPercent != nil || c.Rounding != nil || c.NegativeMarking != 0 || c.DefaultOutcome != "" {
		t.Lose(bank.TestProcessing, "pass mark, rounding, negative marking or default outcome")
	}
	var left []string
	for _, one := range []struct {
		name string
		is   bool
	}{
		{"shuffled options", s.ShuffleOptions},
		{"attempts", s.MaxAttemptsPerUser != nil || s.CooloffSeconds > 0},
		{"feedback", s.FeedbackMode != "" && s.FeedbackMode != "overall"},
		{"lockdown", s.Lockdown.Required || s.Lockdown.SEBFile || len(s.Lockdown.SEBConfigKeys) > 0},
		{"review by four eyes", s.AsksForFourEyes()},
		{"verification", s.VerificationLevel != ""},
		{"evidence", len(s.RequiredEvidence) > 0},
	} {
		if one.is {
			left = append(left, one.name)
		}
	}
	if len(left) > 0 {
		t.Lose(bank.TestSettingDropped, strings.Join(left, ", "))
	}
}
