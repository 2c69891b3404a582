package reporting

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assess/models"
	"assess/pkg/kernel/scoring"
	"assess/pkg/report/projection"
)

// Parts is the analysis of a question whose answer has parts.
type Parts struct {
	Parts                []Part        `json:"parts" nullable:"false" doc:"Of an order: its options as the right order has them; of a match: its prompts; of gaps: the gaps"`
	TopPatterns          []Pattern     `json:"topPatterns" nullable:"false" doc:"Exact answers, most frequent first, at most 1,000; those of an order are its sequences, those of a match sets of pairs (p1=A), those of gaps what was chosen there (g1=A), or whether what was typed is right (g2=wrong)"`
	PatternsN            int64         `json:"patternsN" doc:"Number of different answers, those too that are not in topPatterns"`
	OtherPatterns        OtherPatterns `json:"otherPatterns"`
	PartialCredit        []CreditRange `json:"partialCredit" nullable:"false" doc:"Scored attempts by share of the weight"`
	ConstraintViolations []CodeCount   `json:"constraintViolations" nullable:"false" doc:"Invalid attempts by violation"`
}

// Part counts one part of the answers over scored attempts.
type Part struct {
	PartID  string      `json:"partId" doc:"Of an order: the id of an option; of a match: that of a prompt; of gaps: that of a gap" example:"B"`
	Text    string      `json:"text" doc:"As plain text in its default language, at most 500 characters" example:"The earth cools"`
	N       int64       `json:"n" doc:"Scored attempts in which the part is right"`
	Pct     *float64    `json:"pct" doc:"Share of scored attempts"`
	Omitted int64       `json:"omitted" doc:"Scored attempts without an answer to the part"`
	Values  []PartValue `json:"values" nullable:"false" doc:"What was answered there"`
}

// PartValue counts one answer to a part.
type PartValue struct {
	Value     string   `json:"value" doc:"Of an order: the place at which the option stood, from 1; of a match: the ids of the options, joined by +; of a gap: the id of the option, or right or wrong where something was typed" example:"2"`
	Text      string   `json:"text" doc:"The options as plain text; empty for a place" example:"Rome"`
	IsCorrect bool     `json:"isCorrect" doc:"By the key that holds, which a remediation may have corrected; where evaluation versions differ, right in one of them"`
	N         int64    `json:"n"`
	Pct       *float64 `json:"pct" doc:"Share of scored attempts"`
}

// parts are the parts of the answers, as the snapshot has them.
func (c choices) parts(h models.QuestionHealth) []Part {
	all := []Part{}
	ordered := scoring.QType(h.QType).Type().Ordered()
	for _, part := range c.key.Parts {
		p := Part{PartID: part.ID, Text: cmp.Or(c.options["gap "+part.ID], c.options[part.ID]), Values: []PartValue{}}
		values := c.answersTo(part)
		if ordered {
			values = nil
			for place := range c.key.Parts {
				values = append(values, strconv.Itoa(place+1))
			}
		}
		for _, value := range values {
			p.count(c, part, value, h.ScoredN)
		}
		p.Pct = rate(p.N, h.ScoredN)
		if n := h.ScoredN - p.answered(); n > 0 && !ordered {
			p.Omitted = n
		}
		all = append(all, p)
	}
	return all
}

// answersTo are the answers to a part that were given, are right, or could be given: each option by itself.
func (c choices) answersTo(part projection.KeyPart) []string {
	seen := map[string]bool{}
	for _, value := range part.Right {
		seen[value] = true
	}
	for _, o := range c.key.Options {
		seen[o.ID] = true
	}
	for id := range c.options {
		if gap, option, of := strings.Cut(id, "="); of && gap == part.ID {
			seen[option] = true
		}
	}
	for code := range c.counts["part"] {
		if id, value, _ := strings.Cut(code, "="); id == part.ID {
			seen[value] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func (p *Part) answered() int64 {
	var n int64
	for _, v := range p.Values {
		n += v.N
	}
	return n
}

// count adds an answer to the part.
func (p *Part) count(c choices, of projection.KeyPart, value string, scored int64) {
	n, right := c.counts["part"][of.ID+"="+value], slices.Contains(of.Right, value)
	p.Values = append(p.Values, PartValue{Value: value, Text: c.named(of.ID, value), IsCorrect: right, N: n, Pct: rate(n, scored)})
	if right {
		p.N += n
	}
}

// MostWrong gives the wrong answer to the part that was given most often; false where none was.
func (p Part) MostWrong() (PartValue, bool) {
	var most PartValue
	for _, v := range p.Values {
		if !v.IsCorrect && v.N > most.N {
			most = v
		}
	}
	return most, most.N > 0
}

// named gives the words of the options that are joined in a value; options of a gap or of the question.
func (c choices) named(part, value string) string {
	var words []string
	for id := range strings.SplitSeq(value, "+") {
		if text := cmp.Or(c.options[part+"="+id], c.options[id]); text != "" {
			words = append(words, text)
		}
	}
	return strings.Join(words, ", ")
}

// Name says the answer in words, or as it was given.
func (v PartValue) Name() string { return cmp.Or(v.Text, v.Value) }
