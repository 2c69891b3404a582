package reporting

import (
	"slices"
	"strconv"

	"assess/models"
	"assess/pkg/report/projection"
)

// Parts is the analysis of a question whose answer has parts.
type Parts struct {
	Parts                []Part        `json:"parts" nullable:"false" doc:"Of an order: its options as the right order has them"`
	TopPatterns          []Pattern     `json:"topPatterns" nullable:"false" doc:"Exact answers, most frequent first, at most 1,000; those of an order are its sequences"`
	PatternsN            int64         `json:"patternsN" doc:"Number of different answers, those too that are not in topPatterns"`
	OtherPatterns        OtherPatterns `json:"otherPatterns"`
	PartialCredit        []CreditRange `json:"partialCredit" nullable:"false" doc:"Scored attempts by share of the weight"`
	ConstraintViolations []CodeCount   `json:"constraintViolations" nullable:"false" doc:"Invalid attempts by violation"`
}

// Part counts one part of the answers over scored attempts.
type Part struct {
	PartID string      `json:"partId" doc:"Of an order: the id of the option" example:"B"`
	Text   string      `json:"text" doc:"As plain text in its default language, at most 500 characters" example:"The earth cools"`
	N      int64       `json:"n" doc:"Scored attempts in which the part is right"`
	Pct    *float64    `json:"pct" doc:"Share of scored attempts"`
	Values []PartValue `json:"values" nullable:"false" doc:"What was answered there"`
}

// PartValue counts one answer to a part.
type PartValue struct {
	Value     string   `json:"value" doc:"Of an order: the place at which the option stood, from 1" example:"2"`
	IsCorrect bool     `json:"isCorrect" doc:"By the key that holds, which a remediation may have corrected; where evaluation versions differ, right in one of them"`
	N         int64    `json:"n"`
	Pct       *float64 `json:"pct" doc:"Share of scored attempts"`
}

// placed are the options of an order, as the right one has them, each with the places at which it stood.
func (c choices) placed(h models.QuestionHealth) []Part {
	all := []Part{}
	for _, part := range c.key.Parts {
		p := Part{PartID: part.ID, Text: c.options[part.ID], Values: []PartValue{}}
		for place := range len(c.key.Parts) {
			p.count(c, part, strconv.Itoa(place+1), h.ScoredN)
		}
		p.Pct = rate(p.N, h.ScoredN)
		all = append(all, p)
	}
	return all
}

// count adds an answer to the part.
func (p *Part) count(c choices, of projection.KeyPart, value string, scored int64) {
	n, right := c.counts["part"][of.ID+"="+value], slices.Contains(of.Right, value)
	p.Values = append(p.Values, PartValue{Value: value, IsCorrect: right, N: n, Pct: rate(n, scored)})
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
