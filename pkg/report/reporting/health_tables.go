package reporting

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/kernel/scoring"
	"assess/pkg/report/projection"
)

// table is one CSV file of the question health archive (specification, section 4.3), about
// questions with such an answer or, without one, about all. Files without a row are left out,
// except for the first.
type table struct {
	name    string
	answer  scoring.Answer
	columns []string
	rows    func(e exported) [][]string
}

// linesOf are the lines of a question.
func (t table) linesOf(e exported) [][]string {
	if t.answer != "" && t.answer != answerOf(e.QType) && (t.answer != inParts || !scoring.QType(e.QType).Type().HasParts()) {
		return nil
	}
	return t.rows(e)
}

// inParts means all kinds of answers that have parts.
const inParts scoring.Answer = "parts"

var tables = []table{
	{"question_health_core.csv", "", []string{"questionVersionId", "questionId", "externalId", "stem", "qtype", "status", "confidence", "topReasons", "flags", "attempts",
		"scoredAttempts", "correct", "omitted", "facilityPct", "omitRate", "invalidRate", "scored", "pending", "invalid", "exempt",
		"avgScoreAwarded", "avgScorePct", "avgTimeMs", "medianTimeMs", "p90TimeMs", "median7dTimeMs", "median30dTimeMs",
		"facility7dPct", "facility30dPct", "facilityLastRunPct", "attemptsLastRun", "drift", "focusLostRate", "evaluationsCount",
		"percentilesPending"}, coreRow},
	{"question_health_choice_single.csv", scoring.OneOption, []string{"questionVersionId", "scoredAttempts", "optionsN", "topOptionId", "topOptionN",
		"topOptionPct", "keyOptionIds", "keyPct", "topWrongOptionId", "topWrongN", "topWrongPct", "keyCorrected"}, singleRow},
	{"choice_single_option_breakdown.csv", scoring.OneOption, []string{"questionVersionId", "optionId", "text", "isCorrect", "n", "pct"}, optionRows},
	{"question_health_choice_multi.csv", scoring.SeveralOptions, slices.Concat([]string{"questionVersionId", "scoredAttempts", "optionsN", "patternsN",
		"missedCorrect", "selectedIncorrect", "both", "violationsN"}, creditColumns(), []string{"keyCorrected", "otherPatternsAttempts"}), multiRow},
	{"choice_multi_option_breakdown.csv", scoring.SeveralOptions, []string{"questionVersionId", "optionId", "text", "isCorrect", "n", "inclusionRate"}, optionRows},
	{"choice_multi_pattern_breakdown.csv", scoring.SeveralOptions, []string{"questionVersionId", "rank", "patternHash", "optionIds", "n", "pct"}, patternRows},
	{"choice_multi_constraint_breakdown.csv", scoring.SeveralOptions, []string{"questionVersionId", "code", "n", "pct"}, constraintRows},
	{"question_health_parts.csv", inParts, slices.Concat([]string{"questionVersionId", "scoredAttempts", "partsN", "patternsN", "violationsN"},
		creditColumns(), []string{"keyCorrected", "otherPatternsAttempts"}), partsRow},
	{"part_breakdown.csv", inParts, []string{"questionVersionId", "partId", "text", "n", "pct", "omitted"}, partRows},
	{"part_value_breakdown.csv", inParts, []string{"questionVersionId", "partId", "value", "isCorrect", "n", "pct"}, partValueRows},
	{"part_pattern_breakdown.csv", inParts, []string{"questionVersionId", "rank", "patternHash", "answer", "n", "pct"}, sequenceRows},
	{"part_constraint_breakdown.csv", inParts, []string{"questionVersionId", "code", "n", "pct"}, constraintRows},
}

func coreRow(e exported) [][]string {
	h := e.QuestionHealth
	var flags []string
	for _, f := range h.Flags {
		flags = append(flags, f.Code)
	}
	return [][]string{{h.QuestionVersionID.String(), idOrEmpty(e.QuestionID), OrEmpty(e.ExternalID), e.Stem, h.QType, h.HealthStatus, h.ConfidenceLevel, strings.Join(h.TopReasons, ";"),
		strings.Join(flags, ";"), Count(h.AttemptsN), Count(h.ScoredN), Count(h.CorrectN), Count(h.OmittedN),
		Figure(h.FacilityPct), Figure(h.OmitRate), Figure(rate(h.InvalidN, h.AttemptsN)),
		Count(h.ScoredN), Count(h.PendingN), Count(h.InvalidN), Count(h.ExemptN),
		Figure(h.AvgScoreAwarded), Figure(h.AvgScorePct), Known(projection.Milliseconds(h.AvgTimeMs)), Known(projection.Milliseconds(h.MedianTimeMs)), Known(projection.Milliseconds(h.P90TimeMs)),
		Known(projection.Milliseconds(h.Median7dTimeMs)), Known(projection.Milliseconds(h.Median30dTimeMs)), Figure(h.Facility7dPct), Figure(h.Facility30dPct),
		Figure(h.FacilityLastRunPct), Count(h.AttemptsLastRunN), Figure(&h.Drift), Figure(rate(h.FocusLostN, h.AttemptsN)),
		Count(h.EvaluationsCount), strconv.FormatBool(h.PercentilesStale)}}
}

func singleRow(e exported) [][]string {
	var keys []string
	var right int64
	var wrong Option
	for _, o := range e.shares(e.QuestionHealth) {
		switch {
		case o.IsCorrect:
			keys, right = append(keys, o.OptionID), right+o.N
		case wrong.OptionID == "" || o.N > wrong.N:
			wrong = o
		}
	}
	var top OptionShare
	if found := topOption(e.QuestionHealth); found != nil {
		top = *found
	}
	return [][]string{{e.QuestionVersionID.String(), Count(e.ScoredN), strconv.Itoa(len(e.key.Options)), top.OptionID, Count(top.N),
		Figure(top.Pct), strings.Join(keys, ";"), Figure(rate(right, e.ScoredN)), wrong.OptionID, Count(wrong.N), Figure(wrong.Pct), strconv.FormatBool(e.key.Corrected)}}
}

func optionRows(e exported) [][]string {
	var rows [][]string
	for _, o := range e.shares(e.QuestionHealth) {
		rows = append(rows, []string{e.QuestionVersionID.String(), o.OptionID, o.Text, strconv.FormatBool(o.IsCorrect), Count(o.N), Figure(o.Pct)})
	}
	return rows
}

// creditColumns are named after the lower bound of their range in percent.
func creditColumns() []string {
	var all []string
	for tenth := range 11 {
		all = append(all, "credit"+strconv.Itoa(tenth*10))
	}
	return all
}

func (c choices) violationsN() int64 {
	var n int64
	for one := range maps.Values(c.counts["violation"]) {
		n += one
	}
	return n
}

func multiRow(e exported) [][]string {
	errors := e.errorModes()
	row := []string{e.QuestionVersionID.String(), Count(e.ScoredN), strconv.Itoa(len(e.key.Options)), Count(e.patternsN()),
		Count(errors.MissedCorrect), Count(errors.SelectedIncorrect), Count(errors.Both), Count(e.violationsN())}
	for _, c := range e.credit(e.ScoredN) {
		row = append(row, Count(c.N))
	}
	return [][]string{append(row, strconv.FormatBool(e.key.Corrected), Count(e.otherPatterns(e.ScoredN).N))}
}

func patternRows(e exported) [][]string  { return e.patternRows(scoring.PatternHash) }
func sequenceRows(e exported) [][]string { return e.patternRows(scoring.SequenceHash) }

func (e exported) patternRows(hash func([]string) string) [][]string {
	var rows [][]string
	for i, p := range e.patterns(e.ScoredN) {
		rows = append(rows, []string{e.QuestionVersionID.String(), strconv.Itoa(i + 1), hash(p.OptionIDs),
			strings.Join(p.OptionIDs, "+"), Count(p.N), Figure(p.Pct)})
	}
	return rows
}

func partsRow(e exported) [][]string {
	row := []string{e.QuestionVersionID.String(), Count(e.ScoredN), strconv.Itoa(len(e.key.Parts)), Count(e.patternsN()), Count(e.violationsN())}
	for _, c := range e.credit(e.ScoredN) {
		row = append(row, Count(c.N))
	}
	return [][]string{append(row, strconv.FormatBool(e.key.Corrected), Count(e.otherPatterns(e.ScoredN).N))}
}

func partRows(e exported) [][]string {
	var rows [][]string
	for _, p := range e.parts(e.QuestionHealth) {
		rows = append(rows, []string{e.QuestionVersionID.String(), p.PartID, p.Text, Count(p.N), Figure(p.Pct), Count(p.Omitted)})
	}
	return rows
}

func partValueRows(e exported) [][]string {
	var rows [][]string
	for _, p := range e.parts(e.QuestionHealth) {
		for _, v := range p.Values {
			rows = append(rows, []string{e.QuestionVersionID.String(), p.PartID, v.Value, strconv.FormatBool(v.IsCorrect), Count(v.N), Figure(v.Pct)})
		}
	}
	return rows
}

func constraintRows(e exported) [][]string {
	var rows [][]string
	for _, v := range e.violations(e.AttemptsN) {
		rows = append(rows, []string{e.QuestionVersionID.String(), v.Code, Count(v.N), Figure(v.Pct)})
	}
	return rows
}
