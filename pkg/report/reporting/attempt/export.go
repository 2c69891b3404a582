package attempt

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/scoring"
	"assess/pkg/kernel/sheet"
	"assess/pkg/report/reporting"
)

// Export writes the report as CSV, a line an item, with the figures of the attempt in front of
// each, and records that somebody took it. Capability: reporting.view_named. Errors: not_found.
func Export(ctx context.Context, tx *db.Tx, in GetInput, to io.Writer) error {
	r, err := read(ctx, tx, in)
	if err != nil {
		return err
	}
	w := sheet.NewWriter(to)
	err = w.WriteAll(r.lines())
	if err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return witness(ctx, tx, r, "session_attempt.exported")
}

// field is one column of the export.
type field struct {
	name string
	of   func(Report, Item) string
}

func (r Report) lines() [][]string {
	lines := [][]string{{}}
	for _, f := range fields {
		lines[0] = append(lines[0], f.name)
	}
	items := r.Items
	if len(items) == 0 {
		items = []Item{{}}
	}
	for _, item := range items {
		var line []string
		for _, f := range fields {
			line = append(line, f.of(r, item))
		}
		lines = append(lines, line)
	}
	return lines
}

var fields = []field{
	{"submissionId", func(r Report, _ Item) string { return r.Submission.ID.String() }},
	{"userId", func(r Report, _ Item) string { return r.User.ID.String() }},
	{"name", func(r Report, _ Item) string { return r.User.Name }},
	{"email", func(r Report, _ Item) string { return r.User.Email }},
	{"evaluationVersionId", func(r Report, _ Item) string { return r.Submission.EvaluationVersionID.String() }},
	{"run_label", func(r Report, _ Item) string { return reporting.OrEmpty(r.Submission.RunLabel) }},
	{"attemptStatus", func(r Report, _ Item) string { return r.Summary.AttemptStatus }},
	{"completionMethod", func(r Report, _ Item) string { return r.Summary.CompletionMethod }},
	{"startedAt", func(r Report, _ Item) string { return reporting.Instant(&r.Timing.StartedAt) }},
	{"endedAt", func(r Report, _ Item) string { return reporting.Instant(&r.Timing.EndedAt) }},
	{"approval_status", func(r Report, _ Item) string { return r.Submission.ApprovalStatus }},
	{"durationSource", func(r Report, _ Item) string { return r.Timing.DurationSource }},
	{"durationMs", func(r Report, _ Item) string { return reporting.Known(r.Timing.DurationMs) }},
	{"totalTimeOnItemsMs", func(r Report, _ Item) string { return reporting.Known(&r.Timing.TotalTimeOnItemsMs) }},
	{"idleEstimateMs", func(r Report, _ Item) string { return reporting.Known(r.Timing.IdleEstimateMs) }},
	{"answeredItems", func(r Report, _ Item) string { return strconv.Itoa(r.Summary.AnsweredItems) }},
	{"omittedItems", func(r Report, _ Item) string { return strconv.Itoa(r.Summary.OmittedItems) }},
	{"pendingItems", func(r Report, _ Item) string { return strconv.Itoa(r.Summary.PendingItems) }},
	{"attemptScore", func(r Report, _ Item) string { return number(r.Summary.Score) }},
	{"attemptMaxScore", func(r Report, _ Item) string { return number(r.Summary.MaxScore) }},
	{"attemptScorePct", func(r Report, _ Item) string { return reporting.Figure(r.Summary.ScorePct) }},
	{"outcome_code", func(r Report, _ Item) string { return r.Summary.OutcomeCode }},
	{"scoreVersion", func(r Report, _ Item) string { return strconv.Itoa(r.Summary.LatestScoreVersion) }},
	{"attentionLevel", func(r Report, _ Item) string { return r.Integrity.AttentionLevel }},
	{"asOf", func(r Report, _ Item) string { return reporting.Instant(&r.AsOf) }},
	{"projectionLagMs", func(r Report, _ Item) string { return reporting.Known(&r.ProjectionLagMs) }},
	{"position", func(r Report, i Item) string { return ofItem(r, strconv.Itoa(i.Position)) }},
	{"section", func(r Report, i Item) string { return r.sectionTitle(i) }},
	{"submissionItemId", func(r Report, i Item) string { return ofItem(r, i.ID.String()) }},
	{"itemId", func(r Report, i Item) string { return ofItem(r, i.ItemID.String()) }},
	{"questionVersionId", func(r Report, i Item) string { return ofItem(r, i.QuestionVersionID.String()) }},
	{"qtype", func(_ Report, i Item) string { return string(i.QType) }},
	{"stemText", func(_ Report, i Item) string { return i.StemText }},
	{"tags", func(_ Report, i Item) string { return strings.Join(i.TagList, ";") }},
	{"selectedChoiceIds", func(_ Report, i Item) string { return strings.Join(i.SelectedChoiceIDs, ";") }},
	{"displayAnswer", func(_ Report, i Item) string { return i.answerCell() }},
	{"isOmitted", func(r Report, i Item) string { return ofItem(r, strconv.FormatBool(i.IsOmitted)) }},
	{"omitReason", func(_ Report, i Item) string { return reporting.OrEmpty(i.OmitReason) }},
	{"contributesToScore", func(r Report, i Item) string { return ofItem(r, strconv.FormatBool(i.ContributesToScore)) }},
	{"scoreStatus", func(_ Report, i Item) string { return i.ScoreStatus }},
	{"scoreMethod", func(_ Report, i Item) string { return i.ScoreMethod }},
	{"score", func(r Report, i Item) string { return ofItem(r, number(i.Score)) }},
	{"max_score", func(r Report, i Item) string { return ofItem(r, number(i.MaxScore)) }},
	{"is_correct", func(r Report, i Item) string { return ofItem(r, strconv.FormatBool(i.IsCorrect)) }},
	{"invalidCode", func(_ Report, i Item) string { return reporting.OrEmpty(i.InvalidCode) }},
	{"timeOnItemMs", func(_ Report, i Item) string { return reporting.Known(i.TimeOnItemMs) }},
	{"answered_at", func(_ Report, i Item) string { return reporting.Instant(i.AnsweredAt) }},
	{"scoringExplanation", func(_ Report, i Item) string { return i.ScoringExplanation }},
}

// ofItem leaves the cell empty in the one line of an attempt without items.
func ofItem(r Report, text string) string {
	if len(r.Items) == 0 {
		return ""
	}
	return text
}

func (r Report) sectionTitle(i Item) string {
	for _, s := range r.SectionAggregates {
		if i.SectionID != nil && *i.SectionID == s.SectionID {
			return s.Title
		}
	}
	return ""
}

// answerCell leaves numbers as they are.
func (i Item) answerCell() string {
	if i.QType.Type().Answer == scoring.Number {
		return i.DisplayAnswer
	}
	return i.DisplayAnswer
}
