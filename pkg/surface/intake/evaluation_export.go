package intake

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

var exportedEvaluations = exported[authoring.ExportedEvaluation]{
	columns: []string{"evaluation", "title", "section", "question", "weight", "passMarkPercent", "timeLimitSeconds", "feedbackMode",
		"reviewPolicy", "maxAttemptsPerUser", "cooloffSeconds", "navigation", "shuffleItems", "shuffleOptions", "rounding", "negativeMarking",
		"defaultOutcome", "sectionTimeLimitSeconds", "settings", "terms", "content"},
	page: authoring.ExportEvaluations,
	id:   func(e authoring.ExportedEvaluation) ids.ID { return e.ID },
	rows: evaluationRows,
}

// ExportEvaluations writes the evaluations of the home org unit as a file that
// CommitEvaluations takes, each in its newest version: importing the file again
// changes nothing. It does not publish anything either. An evaluation that columns cannot
// express exactly, such as one with draws, is written in the column content. It needs
// evaluations.read, and gives the number of evaluations.
func ExportEvaluations(ctx context.Context, tx *db.Tx, in Export, to io.Writer) (int, error) {
	return exportedEvaluations.write(ctx, tx, in, to)
}

func evaluationRows(ctx context.Context, tx *db.Tx, _ authoring.ExportFilter, page []authoring.ExportedEvaluation) ([]cells, error) {
	var wanted []ids.ID
	for _, e := range page {
		wanted = append(wanted, e.Input.TaxonomyTermIDs...)
	}
	names, err := taxonomy.Names(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	var rows []cells
	for _, e := range page {
		terms := termCell(e.Input.TaxonomyTermIDs, names)
		e.Input.TaxonomyTermIDs = nil
		written, err := evaluationCells(e)
		if err != nil {
			return nil, err
		}
		written[0]["terms"] = terms
		rows = append(rows, written...)
	}
	return rows, nil
}

// evaluationCells tries columns first, and takes them when an import would read the same
// evaluation from them.
func evaluationCells(e authoring.ExportedEvaluation) ([]cells, error) {
	key := keyCell(e.Input.ExternalID, e.ID)
	rows, err := itemCells(e, key)
	if err != nil {
		return nil, err
	}
	if evaluationReadsAs(rows, e) {
		return rows, nil
	}
	whole := e.Input
	whole.ExternalID = ""
	raw, err := jsonCell(whole)
	if err != nil {
		return nil, fmt.Errorf("write evaluation: %w", err)
	}
	return []cells{{"evaluation": key, "content": raw}}, nil
}

func evaluationReadsAs(rows []cells, e authoring.ExportedEvaluation) bool {
	back := readBack(evaluations.columns, rows)
	if back == nil {
		return false
	}
	got := newEvaluation(back[0], Input{})
	found := map[string]ids.ID{}
	for id, name := range e.ExternalIDs {
		found[name] = id
	}
	for _, r := range back {
		got.addItem(r)
	}
	got.resolve(found)
	in := got.input()
	in.ExternalID = e.Input.ExternalID
	return len(back[0].file.first) == 0 && sameJSON(in, withoutIDs(e.Input))
}

// withoutIDs leaves out the ids of sections and items, which an import keeps by itself.
func withoutIDs(in authoring.EvaluationInput) authoring.EvaluationInput {
	sections := make([]authoring.SectionInput, len(in.Sections))
	for i, s := range in.Sections {
		s.ID = ids.None
		s.Items = append([]authoring.ItemInput(nil), s.Items...)
		for j := range s.Items {
			s.Items[j].ID = ids.None
		}
		sections[i] = s
	}
	in.Sections = sections
	return in
}

// itemCells writes a row for each item, with the settings on the first one.
func itemCells(e authoring.ExportedEvaluation, key string) ([]cells, error) {
	var rows []cells
	for _, s := range e.Input.Sections {
		for i, item := range s.Items {
			c := cells{"evaluation": key, "section": s.Title, "question": e.ExternalIDs[item.QuestionID], "weight": numberCell(item.Weight, decimal)}
			if i == 0 {
				c["sectionTimeLimitSeconds"] = numberCell(s.TimeLimitSeconds, strconv.Itoa)
			}
			rows = append(rows, c)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	rows[0]["title"] = e.Input.Title
	return rows, settingsCells(rows[0], e.Input.Settings)
}

// settingsCells fills the columns of the settings; settings without a column go to the column
// settings.
func settingsCells(c cells, s authoring.Settings) error {
	c["passMarkPercent"] = numberCell(s.PassMarkPercent, decimal)
	c["timeLimitSeconds"] = numberCell(s.TimeLimitSeconds, strconv.Itoa)
	c["maxAttemptsPerUser"] = numberCell(s.MaxAttemptsPerUser, strconv.Itoa)
	c["rounding"] = numberCell(s.ScoringConfig.Rounding, strconv.Itoa)
	c["feedbackMode"], c["reviewPolicy"], c["navigation"] = s.FeedbackMode, s.ReviewPolicy, s.Navigation
	c["defaultOutcome"] = string(s.ScoringConfig.DefaultOutcome)
	c["cooloffSeconds"], c["negativeMarking"] = strconv.Itoa(s.CooloffSeconds), decimal(s.ScoringConfig.NegativeMarking)
	c["shuffleItems"], c["shuffleOptions"] = yesOrNo(s.ShuffleItems), yesOrNo(s.ShuffleOptions)
	rest := authoring.Settings{FeedbackPolicy: s.FeedbackPolicy, FeedbackTagKeys: s.FeedbackTagKeys, ExposurePolicy: s.ExposurePolicy,
		VerificationLevel: s.VerificationLevel, RequiredEvidence: s.RequiredEvidence, Lockdown: s.Lockdown}
	raw, err := jsonCell(rest)
	if err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	if raw != "{}" {
		c["settings"] = raw
	}
	return nil
}

func numberCell[N any](n *N, write func(N) string) string {
	if n == nil {
		return ""
	}
	return write(*n)
}

func yesOrNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// keyCell gives the cell by which an import finds a record again: its external id, or its
// id where it has none that a cell can hold.
func keyCell(externalID string, id ids.ID) string {
	if externalID == "" || externalID != strings.TrimSpace(externalID) || strings.Contains(externalID, "\r\n") {
		return id.String()
	}
	return externalID
}
