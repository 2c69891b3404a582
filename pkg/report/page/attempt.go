package page

import (
	"fmt"
	"strings"

	"assess/models"
	"assess/pkg/kernel/wire"
	"assess/pkg/report/reporting/attempt"
)

// Attempt draws the report on one attempt.
func Attempt(r attempt.Report) Page {
	p := Page{Kind: "Attempt report", Name: whose(r.User), AsOf: asOf(r.AsOf, r.ProjectionLagMs)}
	p.Crumbs = []Link{{Text: "Reports", At: reportsAt}, {Text: r.Submission.VersionSnapshot.Title, At: summaryAt("", r.Submission.EvaluationVersionID.String())},
		{Text: "Attempts", At: ofVersion(attemptsAt, r.Submission.EvaluationVersionID.String())}}
	p.Links = []Link{{Text: "What this person can do", At: profileAt(r.User.ID.String()), Needs: Skilled}, {Text: "Export (CSV)", At: attemptAt(r.Submission.ID.String()) + "/export"},
		{Text: "Glass box links", At: shareAt + "?submission=" + r.Submission.ID.String(), Needs: HandingOn}}
	p.Lines = []string{r.Submission.VersionSnapshot.Title, fmt.Sprintf("From %s to %s, %s", moment(r.Timing.StartedAt), moment(r.Timing.EndedAt),
		wire.Words(r.Summary.CompletionMethod)+".")}
	p.Lines = append(p.Lines, "Status: "+standing(r.Summary.AttemptStatus, r.Submission.ApprovalStatus)+".")
	if r.Submission.RunLabel != nil {
		p.Lines = append(p.Lines, "Run: "+*r.Submission.RunLabel)
	}
	s := r.Summary
	p.Tiles = []Tile{
		{Label: "Outcome", Value: s.OutcomeLabel, Tone: outcomeTone(s.OutcomeCode), Note: "Score version " + whole(s.LatestScoreVersion)},
		{Label: "Score", Value: percent(s.ScorePct, r.Marks()...), Note: wire.Points(s.Score) + " of " + wire.Points(s.MaxScore)},
		{Label: "Answered", Value: fmt.Sprintf("%d of %d", s.AnsweredItems, s.TotalItems), Note: fmt.Sprintf("%d to be scored by a person", s.PendingItems)},
		{Label: "Took", Value: duration(r.Timing.DurationMs), Note: "No item for " + duration(r.Timing.IdleEstimateMs)},
		{Label: "Attention", Value: wire.Words(r.Integrity.AttentionLevel), Tone: levelTone(r.Integrity.AttentionLevel)},
	}
	p.Notices = attemptNotices(r)
	p.Parts = append(p.Parts, attemptSections(r.SectionAggregates))
	p.Parts = append(p.Parts, attemptTags(r.TagAggregates)...)
	p.Parts = append(p.Parts, attemptTimes(r.Items), attemptItems(r.Items))
	return p
}

// itemsShown is how many items of an attempt a page shows at once, and answersShown how many bytes of answers it shows whole.
const (
	itemsShown   = 50
	answersShown = 16 << 10
)

// Piece gives the page of an attempt with a part of its items: the first ones, for 1, or later ones. A page without it has all.
func (p Page) Piece(n int) Page {
	part := &p.Parts[len(p.Parts)-1]
	items, all := part.Table, len(part.Table.Rows)
	n = min(max(n, 1), (all+itemsShown-1)/itemsShown)
	if all > itemsShown {
		p.Paging = Paging{n, itemsShown, all}
		items.Rows = items.Rows[(n-1)*itemsShown : min(n*itemsShown, all)]
	}
	answers := 0
	for _, row := range items.Rows {
		answers += len(row[answerCell].Text)
	}
	if answers > answersShown {
		part.Note += " Long answers are cut; the export has them whole."
		for _, row := range items.Rows {
			row[answerCell].Text = short(row[answerCell].Text, answersShown/2/len(items.Rows))
		}
	}
	return p
}

// standing says what happened to the submission.
func standing(status, approval string) string {
	if approval == models.ApprovalNotRequired {
		return wire.Words(status)
	}
	return wire.Words(status) + ", " + wire.Words(approval)
}

func whose(u attempt.User) string {
	if u.Name == "" {
		return u.Email
	}
	return u.Name
}

func attemptNotices(r attempt.Report) []Notice {
	all := []Notice{{Tone: levelTone(r.Integrity.AttentionLevel), Label: "Integrity", Text: r.Integrity.Summary}}
	if r.KoeStatus == nil || r.ProofReadiness == nil {
		return all
	}
	return append(all, readinessNotices(*r.KoeStatus, *r.ProofReadiness)...)
}

func severityTone(severity string) Tone {
	if severity == "major" {
		return Bad
	}
	return Warning
}

func outcomeTone(code string) Tone {
	switch code {
	case "pass":
		return Good
	case "fail":
		return Bad
	}
	return Faint
}

func levelTone(level string) Tone {
	return map[string]Tone{"low": Good, "medium": Warning, "high": Bad}[level]
}

const partsNote = "Facility is the share of scored items with full credit; the score is the mean share of the maximum over scored items; omitted is over all items; time is over answered items with a known time."

func attemptSections(sections []attempt.SectionAggregate) Part {
	t := &Table{Header: append(head("Section"), figureHeads...), Empty: "There are no sections."}
	for _, s := range sections {
		t.Rows = append(t.Rows, append([]Cell{label(orNone(s.Title))}, figureCells(s.Figures)...))
	}
	return Part{Heading: "Sections", Note: partsNote, Table: t}
}

// attemptTags draws a table for each facet.
func attemptTags(tags []attempt.TagAggregate) []Part {
	var all []Part
	at := map[string]int{}
	for _, tag := range tags {
		i, begun := at[tag.Facet]
		if !begun {
			i, at[tag.Facet] = len(all), len(all)
			all = append(all, Part{Heading: "Tags: " + tag.Facet, Table: &Table{Header: append(head("Tag"), figureHeads...)}})
		}
		all[i].Table.Rows = append(all[i].Table.Rows, append([]Cell{label(tag.Label)}, figureCells(tag.Figures)...))
	}
	return all
}

var figureHeads = head(">Items", "Facility", "Mean score", "Omitted", ">Mean time")

func figureCells(f attempt.Figures) []Cell {
	return []Cell{figure(whole(f.Items)), bar(f.FacilityPct, Plain), bar(f.AvgScorePct, Plain), words(percent(f.OmittedRate)), figure(duration(f.AvgTimeMs))}
}

// attemptTimes shows the pace; it is left out without times.
func attemptTimes(items []attempt.Item) Part {
	c := &Columns{Title: "Time on each item", Axis: "item, in the order in which it was seen; seconds"}
	known := false
	for _, i := range items {
		c.Labels = append(c.Labels, whole(i.Position+1))
		seconds := int64(0)
		if i.TimeOnItemMs != nil {
			seconds, known = (*i.TimeOnItemMs+500)/1000, true
		}
		c.Values, c.Unknown = append(c.Values, seconds), append(c.Unknown, i.TimeOnItemMs == nil)
	}
	p := Part{Heading: "Pace", Note: "The table of items below has the same times.", Wide: true}
	if known && len(items) <= 60 {
		p.Columns = c
		return p
	}
	p.Note = "No times are known."
	if known {
		p.Note = "There are too many items for a chart; the table below has their times."
	}
	return p
}

// answerCell is the place of the answer in a row of attemptItems.
const answerCell = 2

func attemptItems(items []attempt.Item) Part {
	t := &Table{Header: head(">No.", "Question", "Answer", "Score", ">Time"), Empty: "There are no items."}
	for _, i := range items {
		answer := Cell{Text: i.DisplayAnswer}
		if i.IsOmitted {
			answer = toned("left out", Faint)
		}
		t.Rows = append(t.Rows, []Cell{figure(whole(i.Position + 1)), {Text: orNone(short(i.StemText, stemShown)), Note: strings.Join(i.TagList, ", "), Label: true, At: questionAt(i.QuestionVersionID.String())}, answer,
			{Text: mark(i) + " " + wire.Points(i.Score) + " of " + wire.Points(i.MaxScore), Note: i.ScoringExplanation, Tone: itemTone(i)},
			figure(duration(i.TimeOnItemMs))})
	}
	return Part{Heading: "Items", Note: "In the order in which they were seen.", Table: t, Wide: true}
}

func orNone(text string) string {
	if strings.TrimSpace(text) == "" {
		return none
	}
	return text
}

// mark says at a glance how an item went.
func mark(i attempt.Item) string {
	switch {
	case i.ScoreStatus != "SCORED":
		return "·"
	case i.IsCorrect:
		return "✓"
	case i.Score > 0:
		return "◐"
	}
	return "✗"
}

func itemTone(i attempt.Item) Tone {
	switch {
	case i.ScoreStatus != "SCORED":
		return Faint
	case i.IsCorrect:
		return Good
	case i.Score > 0:
		return Warning
	}
	return Bad
}
