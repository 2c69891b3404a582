package page

import (
	"cmp"
	"fmt"
	"strings"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/wire"
	"assess/pkg/report/projection"
	"assess/pkg/report/reporting"
)

// stemShown is how many characters of a question a list shows; the page of the question has all of them.
const stemShown = 240

// question names a question version; by its id where nothing else is known.
func question(version ids.ID, w reporting.QuestionWords) Cell {
	at := questionAt(version.String())
	if w.Name() == "" {
		return Cell{Text: version.String(), Code: true, Label: true, At: at, Carry: sameQuestions}
	}
	return Cell{Text: short(w.Name(), stemShown), ID: version.String(), Label: true, At: at, Carry: sameQuestions}
}

const badgeNote = "The badge is a heuristic and no psychometrics."

// Health draws a list of questions. About says which questions they are.
func Health(list reporting.HealthList, about string) Page {
	p := Page{Kind: "Question health", Name: about, AsOf: asOf(list.AsOf, list.ProjectionLagMs), Lines: []string{badgeNote}}
	p.Paging = Paging{list.Page, list.Limit, int(list.Total)}
	p.Crumbs = []Link{{Text: "Reports", At: reportsAt}}
	p.Links = []Link{{Text: "Export (ZIP)", At: healthAt + "/export", Carry: sameQuestions}, {Text: "Share", At: shareAt + "?report=question_health", Carry: append([]string{"sort"}, sameQuestions...)}}
	p.Choices = []Choice{{Label: "First come those", Param: "sort", Values: []Value{{"that need attention", reporting.NeedsAttentionFirst}, {"left out most", reporting.HighestOmit},
		{"that drift most", reporting.MostDrift}, {"shown most", reporting.MostExposed}}}}
	if int(list.Total) > len(list.Items) {
		p.Lines = append(p.Lines, fmt.Sprintf("%d of %s: page %d.", len(list.Items), plural.Of(list.Total, "question"), list.Page))
	}
	values := make([]int64, len(badges))
	t := &Table{Header: head("Question", "Health", "Facility", "Omit rate", ">Attempts", ">Drift", ">Median time"), Empty: "No question has attempts."}
	for _, row := range list.Items {
		at := badgeOf(row.HealthBadge.Status)
		values[at]++
		t.Rows = append(t.Rows, []Cell{question(row.QuestionVersionID, row.QuestionWords),
			{Text: badges[at].called(), Note: projection.AllCalled(row.HealthBadge.TopReasons), Tone: badges[at].tone}, bar(row.Core.FacilityPct, Plain),
			words(percent(row.Core.OmitRate)), figure(whole(row.Core.Attempts)), figure(percent(&row.Core.Drift.Drift)), figure(duration(row.Core.MedianTimeMs))})
	}
	for i, b := range badges {
		p.Tiles = append(p.Tiles, Tile{Label: b.called(), Value: whole(values[i]), Tone: b.tone})
	}
	p.Parts = []Part{facilities(list), {Heading: "Questions", Wide: true, Table: t,
		Note: "Facility is the share of scored attempts with full credit; the omit rate is the share of all attempts that were left out or exempted; drift is the distance between the facility of the last run and that of 30 days; the median time is over answered attempts."}}
	return p
}

// Exam draws an evaluation with the health of its questions.
func Exam(summary reporting.EvaluationSummary, rows []reporting.HealthRow) Page {
	p := Summary(summary)
	var list reporting.HealthList
	list.Items = rows
	p.Parts = append(p.Parts, Health(list, "").Parts...)
	return p
}

// badges are the states of health, gravest first, with their tones.
var badges = []badge{{projection.NeedsAttention, Bad}, {projection.Watch, Warning}, {projection.Healthy, Good}, {projection.InsufficientData, Faint}}

type badge struct {
	status string
	tone   Tone
}

func (b badge) called() string { return projection.Called(b.status) }

func badgeOf(status string) int {
	for i, b := range badges {
		if b.status == status {
			return i
		}
	}
	return len(badges) - 1
}

// facilities counts the questions of the page by facility.
func facilities(list reporting.HealthList) Part {
	c := &Columns{Title: "Questions by facility", Axis: "facility, in percent", Values: make([]int64, 10)}
	for i := range 10 {
		c.Labels = append(c.Labels, fmt.Sprintf("%d–%d", i*10, i*10+10))
	}
	known := int64(0)
	for _, row := range list.Items {
		if f := row.Core.FacilityPct; f != nil {
			c.Values[min(int(*f*10+1e-9), 9)]++
			known++
		}
	}
	p := Part{Heading: "How hard they are", Note: "Questions by the share of scored attempts with full credit."}
	if known == 0 {
		p.Note = "No question has scored attempts yet."
		return p
	}
	p.Columns = c
	p.Table = counted("Facility, %", "Of these questions", known, c.Labels, c.Values, nil)
	p.Table.Header[1].Text = "Questions"
	return p
}

// Question draws the health of one question version. About says which attempts it covers.
func Question(d reporting.QuestionHealthDetail, about string) Page {
	badge := badges[badgeOf(d.HealthBadge.Status)]
	p := Page{Kind: "Health of a question", Name: cmp.Or(d.Name(), d.QuestionVersionID.String()), AsOf: asOf(d.AsOf, d.ProjectionLagMs),
		Lines: []string{about + ".", badgeNote}, Details: []Detail{{"Question version", d.QuestionVersionID.String()}}}
	p.Crumbs = []Link{{Text: "Questions", At: healthAt, Carry: sameQuestions}}
	p.Links = []Link{{Text: "Share", At: shareAt + "?report=question&questionVersionId=" + d.QuestionVersionID.String(), Carry: sameQuestions}}
	p.Tiles = []Tile{
		{Label: "Health", Value: badge.called(), Tone: badge.tone, Note: "Confidence " + wire.Words(d.HealthBadge.Confidence)},
		{Label: "Facility", Value: percent(d.Core.FacilityPct), Note: fmt.Sprintf("%d of %s", d.Core.Correct, plural.Of(d.Core.ScoredAttempts, "scored attempt"))},
		{Label: "Omit rate", Value: percent(d.Core.OmitRate), Note: fmt.Sprintf("%d of %s left out or exempted", d.Core.StatusCounts.Exempt, plural.Of(d.Core.Attempts, "attempt"))},
		{Label: "Mean score", Value: percent(d.Core.Scoring.AvgScorePct), Note: "of the maximum, over scored attempts"},
		{Label: "Median time", Value: duration(d.Core.Timing.MedianTimeMs), Note: "9 of 10 within " + duration(d.Core.Timing.P90TimeMs)},
	}
	for _, f := range d.Flags {
		p.Notices = append(p.Notices, Notice{Tone: severityTone(f.Severity), Label: projection.Called(f.Code), Text: f.Sentence})
	}
	for _, c := range d.KeyCorrections {
		p.Notices = append(p.Notices, Notice{Label: "Key", Text: c.Sentence})
		p.Links = append(p.Links, Link{Text: "The new key, before and after", At: remediationsAt + "/" + c.RemediationID.String(), Needs: Correcting})
	}
	for _, e := range d.Exemptions {
		p.Notices = append(p.Notices, Notice{Label: "Exempted", Text: e.Sentence})
		p.Links = append(p.Links, Link{Text: "The exemption, before and after", At: remediationsAt + "/" + e.RemediationID.String(), Needs: Correcting})
	}
	if d.Core.PercentilesPending {
		p.Notices = append(p.Notices, Notice{Text: "Newer attempts wait for their median."})
	}
	if s := d.Analysis.ChoiceSingle; s != nil {
		p.Parts = append(p.Parts, options(s.Options))
	}
	if m := d.Analysis.ChoiceMulti; m != nil {
		p.Parts = append(p.Parts, options(m.Options), patterns(m.TopPatterns, m.PatternsN), credit(m.PartialCredit), errorModes(*m, d.Core.ScoredAttempts))
	}
	if m := d.Analysis.Parts; m != nil {
		p.Parts = append(p.Parts, parts(m.Parts), patterns(m.TopPatterns, m.PatternsN), credit(m.PartialCredit), violations(m.ConstraintViolations))
	}
	p.Parts = append(p.Parts, weeks(d.Timeline), statuses(d.Core), drift(d), runs(d.Runs), exposure(d.ExposureSummary))
	return p
}

// Within adds the links to the evaluation version that a page of a question is limited to; None: no limit.
func (p Page) Within(version ids.ID) Page {
	if version != ids.None {
		p.Links = append(p.Links, Link{Text: "Attempts", At: ofVersion(attemptsAt, version.String()), Carry: sameAttempts, Needs: Named},
			Link{Text: "The whole exam", At: summaryAt("", version.String()), Carry: samePeriod})
	}
	return p
}

// weeks draws the facility over time.
func weeks(all []reporting.WeekHealth) Part {
	l := &Line{Title: "Facility by week"}
	t := &Table{Header: head("Week from", "Facility", ">Attempts", "Omit rate"), Empty: "There are no attempts."}
	for _, w := range all {
		l.Labels, l.Values = append(l.Labels, w.Week), append(l.Values, w.FacilityPct)
		t.Rows = append(t.Rows, []Cell{label(w.Week), bar(w.FacilityPct, Plain), figure(whole(w.Attempts)), words(percent(w.OmitRate))})
	}
	p := Part{Heading: "Week by week", Note: "Weeks begin on Monday, in UTC; weeks without attempts are left out.", Table: t}
	if len(all) > 1 {
		p.Line = l
	}
	return p
}

func exposure(e reporting.ExposureSummary) Part {
	t := &Table{Header: head("Evaluation version", ">Attempts", "Facility", ">Last day"), Empty: "No evaluation has shown it."}
	for _, v := range e.EvaluationVersions {
		name := Cell{Text: v.EvaluationVersionID.String(), Code: true, Label: true}
		if v.Title != nil {
			name = Cell{Text: *v.Title, ID: v.EvaluationVersionID.String(), Label: true}
		}
		name.At = summaryAt("", v.EvaluationVersionID.String())
		t.Rows = append(t.Rows, []Cell{name, figure(whole(v.Attempts)), bar(v.FacilityPct, Plain), figure(v.LastDay)})
	}
	return Part{Heading: "Exposure", Table: t, Note: fmt.Sprintf("Seen on %s from %s to %s, in %s and %s; %s in the last 7 of these days, %d in the last 30.",
		plural.Of(e.DaysWithAttempts, "day"), e.FirstDay, e.LastDay, plural.Of(e.RunsCount, "labelled run"), plural.Of(e.EvaluationsCount, "evaluation"),
		plural.Of(e.Attempts7d, "attempt"), e.Attempts30d)}
}

func options(all []reporting.Option) Part {
	t := &Table{Header: head("Option", "Key", ">Chosen", "Of scored attempts"), Empty: "The question has no options."}
	for _, o := range all {
		key, tone := "", Plain
		if o.IsCorrect {
			key, tone = "✓\u00a0right", Good
		}
		t.Rows = append(t.Rows, []Cell{chosenOption(o), toned(key, tone), figure(whole(o.N)), bar(o.Pct, tone)})
	}
	return Part{Heading: "Options", Table: t}
}

// chosenOption names an option by its words; its letter comes below.
func chosenOption(o reporting.Option) Cell {
	if o.Text == "" {
		return label(o.OptionID)
	}
	return Cell{Text: o.Text, Note: o.OptionID, Label: true}
}

// patternsShown is how many answer sets a page shows; JSON has them all.
const patternsShown = 12

func patterns(top []reporting.Pattern, all int64) Part {
	shown := top[:min(patternsShown, len(top))]
	t := &Table{Header: head("Set", ">Attempts", "Of scored attempts"), Empty: "There are no answers yet."}
	for _, p := range shown {
		t.Rows = append(t.Rows, []Cell{label(strings.Join(p.OptionIDs, " ")), figure(whole(p.N)), bar(p.Pct, Plain)})
	}
	return Part{Heading: "Answer sets", Note: fmt.Sprintf("The %d most frequent of %d.", len(shown), all), Table: t}
}

func credit(ranges []reporting.CreditRange) Part {
	c := &Columns{Title: "Scored attempts by credit", Axis: "share of the weight, in percent"}
	total := int64(0)
	for _, r := range ranges {
		name := fmt.Sprintf("%.0f–%.0f", r.FromPct*100, r.ToPct*100)
		if r.FromPct == r.ToPct {
			name = "full"
		}
		c.Labels, c.Values = append(c.Labels, name), append(c.Values, r.N)
		total += r.N
	}
	if total == 0 {
		return Part{Heading: "Credit", Note: "There are no scored attempts yet."}
	}
	return Part{Heading: "Credit", Columns: c, Table: counted("Credit, %", "Of scored attempts", total, c.Labels, c.Values, nil)}
}

func errorModes(m reporting.ChoiceMulti, scored int64) Part {
	t := &Table{Header: head("What went wrong", ">Attempts", "Share"), Empty: "No answer was wrong."}
	for _, e := range []struct {
		name string
		n    int64
	}{{"A right option was missed", m.ErrorModes.MissedCorrect}, {"A wrong option was selected", m.ErrorModes.SelectedIncorrect}, {"Both", m.ErrorModes.Both}} {
		if e.n > 0 {
			t.Rows = append(t.Rows, []Cell{label(e.name), figure(whole(e.n)), bar(share(e.n, scored), Bad)})
		}
	}
	t.Rows = append(t.Rows, violations(m.ConstraintViolations).Table.Rows...)
	return Part{Heading: "Errors", Note: "An attempt with both errors is also in the other two. Shares are of scored attempts, those of invalid answers of all attempts.", Table: t}
}

func violations(all []reporting.CodeCount) Part {
	t := &Table{Header: head("What was invalid", ">Attempts", "Of all attempts"), Empty: "No answer was invalid."}
	for _, v := range all {
		t.Rows = append(t.Rows, []Cell{label("Invalid: " + wire.Words(v.Code)), figure(whole(v.N)), bar(v.Pct, Bad)})
	}
	return Part{Heading: "Invalid answers", Table: t}
}

// parts draws how often each part was right, and what was answered most where it was not.
func parts(all []reporting.Part) Part {
	t := &Table{Header: head("Part", ">Right", "Of scored attempts", "Most often wrong"), Empty: "The question has no parts."}
	for _, p := range all {
		name := label(p.PartID)
		if p.Text != "" {
			name = Cell{Text: p.Text, Note: p.PartID, Label: true}
		}
		t.Rows = append(t.Rows, []Cell{name, figure(whole(p.N)), bar(p.Pct, Good), words(mostWrong(p))})
	}
	return Part{Heading: "Parts", Note: "Of an order, a part is an option, and what was answered there is its place; of a match, a part is a prompt; of gaps, each gap.", Table: t}
}

func mostWrong(p reporting.Part) string {
	v, found := p.MostWrong()
	if !found {
		return "–"
	}
	return fmt.Sprintf("%s: %s", v.Name(), plural.Of(v.N, "time"))
}

func statuses(c reporting.DetailCore) Part {
	if c.Attempts == 0 {
		return Part{Heading: "Attempts", Note: "There are none yet."}
	}
	s := &Stack{Title: "Attempts by score status", Labels: []string{"scored", "left out or exempted", "invalid", "to be scored"},
		Values: []int64{c.StatusCounts.Scored, c.StatusCounts.Exempt, c.StatusCounts.Invalid, c.StatusCounts.Pending}, Tones: []Tone{Plain, Faint, Bad, Warning}}
	return Part{Heading: "Attempts", Stack: s, Table: counted("Status", "Of all attempts", c.Attempts, s.Labels, s.Values, s.Tones)}
}

func drift(d reporting.QuestionHealthDetail) Part {
	t := &Table{Header: head("Window", ">Attempts", "Facility")}
	window := func(name string, n int64, facility *float64) {
		t.Rows = append(t.Rows, []Cell{label(name), figure(whole(n)), bar(facility, Plain)})
	}
	window("30 days", d.ExposureSummary.Attempts30d, d.Core.Drift.Facility30dPct)
	window("7 days", d.ExposureSummary.Attempts7d, d.Core.Drift.Facility7dPct)
	window("Last run", d.Core.Drift.AttemptsLastRun, d.Core.Drift.FacilityLastRunPct)
	return Part{Heading: "Recent facility", Note: "Over scored attempts. The windows end with the newest day that has attempts.", Table: t}
}

func runs(all []reporting.RunHealth) Part {
	t := &Table{Header: head("Run", ">Attempts", "Facility", "Omit rate", ">Median time"), Empty: "No run has a label."}
	for _, r := range all {
		t.Rows = append(t.Rows, []Cell{label(r.RunLabel), figure(whole(r.Attempts)), bar(r.FacilityPct, Plain), words(percent(r.OmitRate)), figure(duration(r.MedianTimeMs))})
	}
	return Part{Heading: "Runs", Table: t}
}
