package aiken

import (
	"io"
	"regexp"
	"strings"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/kernel/scoring"
)

var (
	optionLine = regexp.MustCompile(`^([A-Z])[.)]\s+(.*)$`)
	// AnswerLine ends a question. Moodle allows one letter.
	AnswerLine = regexp.MustCompile(`^ANSWER:\s*([A-Z](?:\s*,\s*[A-Z])*)\s*$`)
)

// question is a question that is being read.
type question struct {
	line    int
	stem    []string
	letters []string
	options []string
}

// Read reads the items of a file. An error of take ends it.
func Read(input io.Reader, take func(*bank.Item) error) error {
	data, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	var q question
	give := func(answer string, wrong string) error {
		it := q.item(answer)
		if wrong != "" {
			it.Refuse(bank.Malformed, wrong)
		}
		q = question{}
		return take(it)
	}
	line := 0
	for one := range strings.SplitSeq(markup.Decode(data), "\n") {
		line++
		one = strings.TrimSpace(one)
		option, answer := optionLine.FindStringSubmatch(one), AnswerLine.FindStringSubmatch(one)
		switch {
		case one == "":
		case answer != nil:
			if err := give(answer[1], ""); err != nil {
				return err
			}
		case strings.HasPrefix(one, "ANSWER:"):
			if err := give("", "expected the letter of the right option behind ANSWER:"); err != nil {
				return err
			}
		case option != nil && len(q.stem) > 0:
			q.letters, q.options = append(q.letters, option[1]), append(q.options, option[2])
		case len(q.options) > 0:
			if err := give("", "after the options comes a line such as ANSWER: A"); err != nil {
				return err
			}
			fallthrough
		default:
			q.add(one, line)
		}
	}
	if len(q.stem) > 0 {
		return give("", "the question ends without a line such as ANSWER: A")
	}
	return nil
}

func (q *question) add(s string, line int) {
	if len(q.stem) == 0 {
		q.line = line
	}
	q.stem = append(q.stem, s)
}

// item gives the item; the letters of its options are their ids.
func (q *question) item(answer string) *bank.Item {
	it := &bank.Item{Line: q.line, Kind: scoring.MCQ}
	r := &markup.Reader{Item: it}
	it.Stem = r.Text(markup.FormatPlain, strings.Join(q.stem, "\n"))
	right := map[string]bool{}
	for letter := range strings.SplitSeq(answer, ",") {
		right[strings.TrimSpace(letter)] = true
	}
	delete(right, "")
	if len(right) > 1 {
		it.Kind, it.Method = scoring.MRQ, scoring.AllOrNothing
	}
	for i, text := range q.options {
		it.Options = append(it.Options, bank.Option{ID: q.letters[i], Content: r.Text(markup.FormatPlain, text), Correct: right[q.letters[i]]})
		delete(right, q.letters[i])
	}
	for letter := range right {
		it.Refuse(bank.Incomplete, "there is no option "+letter)
	}
	it.Identify()
	return it
}
