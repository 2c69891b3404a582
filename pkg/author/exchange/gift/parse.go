package gift

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
)

// The kinds of questions.
const (
	category    = "Category"
	description = "Description"
	essay       = "Essay"
	trueFalse   = "TF"
	choices     = "MC"
	short       = "Short"
	numerical   = "Numerical"
	matching    = "Matching"
)

// question is a question as it is written.
type question struct {
	line     int
	kind     string
	title    string
	stem     text
	embedded bool
	feedback *text
	answers  []answer
	// listed says that the answers of a numerical question are a list.
	listed bool
	isTrue bool
	// onTrue and onFalse are the two feedbacks of a statement to judge, as they are written.
	onTrue, onFalse *text
	notes           []note
	err             error
}

// note is a word of a comment: [id:5].
type note struct{ key, value string }

// text is a text with the format that it is written in.
type text struct{ format, text string }

type answer struct {
	correct bool
	// weight is in hundredths; nil without one.
	weight   *float64
	text     text
	feedback *text
	// pair is the text that the text of a matching belongs to.
	pair string
	// number is the number of a numerical answer.
	number *number
}

// number is "5", "5:0.1" or "4.9..5.1".
type number struct {
	kind           string
	value, within  float64
	lowest, higher float64
}

// escapes are written with noncharacters until the structure of a question is known.
var escapes = []struct{ written, held, means string }{
	{`\\`, "\ufdd0", `\`}, {`\~`, "\ufdd1", "~"}, {`\=`, "\ufdd2", "="}, {`\#`, "\ufdd3", "#"}, {`\{`, "\ufdd4", "{"}, {`\}`, "\ufdd5", "}"},
	{`\:`, "\ufdd6", ":"}, {`\n`, "\ufdd7", "\n"},
}

var holding, meaning, writing = func() (hold, mean, write *strings.Replacer) {
	var held, meant, written []string
	for _, e := range escapes {
		held = append(held, e.written, e.held)
		meant = append(meant, e.held, e.means)
		written = append(written, e.means, e.written)
	}
	return strings.NewReplacer(held...), strings.NewReplacer(meant...), strings.NewReplacer(written...)
}()

var noted = regexp.MustCompile(`\[(id|tag|type|scoring|min|max|weight|lang|options|layout):((?:[^\]\\]|\\.)*)\]`)

// parse gives the questions of a file one after the other.
func parse(source string, take func(question) error) error {
	p := &parser{take: take}
	line := 0
	for one := range strings.SplitSeq(source, "\n") {
		line++
		if err := p.line(one, line); err != nil {
			return err
		}
	}
	return p.end()
}

// parser collects the lines of a question. inside says that its answers have begun but not ended.
type parser struct {
	take   func(question) error
	lines  []string
	begin  int
	inside bool
	blank  int
	notes  []note
}

func (p *parser) line(s string, line int) error {
	trimmed := strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(trimmed, "//"):
		for _, m := range noted.FindAllStringSubmatch(trimmed, -1) {
			p.notes = append(p.notes, note{m[1], strings.NewReplacer(`\]`, "]", `\\`, `\`).Replace(m[2])})
		}
		return nil
	case trimmed == "" && p.inside && p.blank == 0: // it may be a blank line among the answers
		p.blank = line
	case trimmed == "" && !p.inside:
		return p.end()
	case !p.inside && strings.HasPrefix(trimmed, "$CATEGORY:"):
		if err := p.end(); err != nil {
			return err
		}
		name := strings.TrimSpace(strings.TrimPrefix(trimmed, "$CATEGORY:"))
		return p.take(question{line: line, kind: category, title: meaning.Replace(holding.Replace(name))})
	case p.inside && p.blank > 0 && begins(trimmed): // the question before has no end
		if err := p.end(); err != nil {
			return err
		}
	}
	if len(p.lines) == 0 {
		p.begin = line
	}
	p.lines = append(p.lines, s)
	held := holding.Replace(s)
	if at := strings.LastIndexAny(held, "{}"); at >= 0 {
		p.inside = held[at] == '{'
	}
	return nil
}

// begins says that a line begins another question.
func begins(line string) bool {
	held := holding.Replace(line)
	at := strings.IndexAny(held, "{}")
	return strings.HasPrefix(line, "::") || at >= 0 && held[at] == '{'
}

func (p *parser) end() error {
	if len(p.lines) == 0 {
		return nil
	}
	q := question{line: p.begin, notes: p.notes}
	q.parse(strings.Join(p.lines, "\n"))
	p.lines, p.inside, p.blank, p.notes = nil, false, 0, nil
	return p.take(q)
}

var noncharacters = func() *strings.Replacer {
	var pairs []string
	for _, e := range escapes {
		pairs = append(pairs, e.held, "\ufffd")
	}
	return strings.NewReplacer(pairs...)
}()

func (q *question) parse(source string) {
	s := strings.TrimSpace(holding.Replace(noncharacters.Replace(source)))
	if rest, ok := strings.CutPrefix(s, "::"); ok {
		if title, after, found := strings.Cut(rest, "::"); found {
			q.title, s = strings.TrimSpace(meaning.Replace(title)), strings.TrimSpace(after)
		}
	}
	format, s := cutFormat(s, markup.FormatMoodle)
	before, rest, asked := strings.Cut(s, "{")
	if !asked {
		q.kind, q.stem = description, textOf(format, s)
		return
	}
	answers, after, closed := strings.Cut(rest, "}")
	if !closed {
		q.err = &bank.Problem{Code: bank.Malformed, Message: "the answers have no closing }"}
	}
	if strings.ContainsAny(after, "{}") {
		q.err = &bank.Problem{Code: bank.Malformed, Message: "a question has its answers in one { and }; elsewhere write \\{ and \\}"}
	}
	stem := before
	if strings.TrimSpace(after) != "" {
		q.embedded = true
		stem = strings.TrimSpace(strings.TrimSpace(before) + " _____ " + strings.TrimSpace(after))
	}
	if q.gapped() {
		stem = before + gapTag + after
	}
	q.stem = textOf(format, stem)
	q.answered(format, strings.TrimSpace(answers))
}

// gapTag is where the answers were, for a question with a gap.
const gapTag = "<x-gap></x-gap>"

// gapped says that the comment calls the question one with a gap, and that the answers are within the text.
func (q *question) gapped() bool {
	return q.embedded && slices.Contains(q.notes, note{"type", string(bank.Gap)})
}

var formats = regexp.MustCompile(`^\[(html|moodle|plain|markdown)\]`)

// cutFormat gives the format that a text begins with, or else the given one.
func cutFormat(s, format string) (string, string) {
	if m := formats.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
		return m[1], strings.TrimSpace(s)[len(m[0]):]
	}
	return format, s
}

var newlines = regexp.MustCompile(`\s*\n\s*|[ \t]{2,}`)

// textOf resolves the escapes. Line breaks matter only in HTML and Markdown.
func textOf(format, s string) text {
	format, s = cutFormat(s, format)
	s = strings.TrimSpace(s)
	if format == markup.FormatMoodle || format == markup.FormatPlain {
		s = newlines.ReplaceAllString(s, " ")
	}
	return text{format, meaning.Replace(s)}
}

// given is textOf, and nil for nothing.
func given(format, s string) *text {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	t := textOf(format, s)
	return &t
}

var judged = regexp.MustCompile(`(?s)^(T|TRUE|F|FALSE)\s*(?:#(.*))?$`)

// answered reads the text between { and }.
func (q *question) answered(format, s string) {
	s, general, _ := strings.Cut(s, "####")
	q.feedback = given(format, general)
	s = strings.TrimSpace(s)
	if m := judged.FindStringSubmatch(s); m != nil {
		q.kind, q.isTrue = trueFalse, m[1][0] == 'T'
		first, second, _ := strings.Cut(m[2], "#")
		q.onTrue, q.onFalse = given(format, first), given(format, second)
		return
	}
	switch {
	case s == "":
		q.kind = essay
	case s[0] == '#':
		q.kind = numerical
		q.numbers(format, strings.TrimSpace(s[1:]))
	case isMatching(s):
		q.kind = matching
		q.list(format, s)
	case strings.ContainsRune(s, '~'):
		q.kind = choices
		q.list(format, s)
	default:
		q.kind = short
		q.list(format, s)
	}
}

// isMatching says that all answers are pairs.
func isMatching(s string) bool {
	if s[0] != '=' || strings.ContainsRune(s, '~') {
		return false
	}
	for one := range strings.SplitSeq(s[1:], "=") {
		if !strings.Contains(one, "->") {
			return false
		}
	}
	return true
}

// list reads answers that begin with = or ~; before the first, nothing or a right one without its sign.
func (q *question) list(format, s string) {
	for s != "" {
		a := answer{correct: s[0] != '~'}
		if s[0] == '=' || s[0] == '~' {
			s = s[1:]
		}
		end := strings.IndexAny(s, "=~")
		if end < 0 {
			end = len(s)
		}
		one := s[:end]
		s = s[end:]
		one, feedback, _ := strings.Cut(one, "#")
		a.feedback = given(format, feedback)
		a.weight, one = cutWeight(one)
		q.answer(&a, format, one)
		q.answers = append(q.answers, a)
	}
}

func (q *question) answer(a *answer, format, s string) {
	switch q.kind {
	case matching:
		prompt, pair, _ := strings.Cut(s, "->")
		a.text, a.pair = textOf(format, prompt), meaning.Replace(strings.TrimSpace(pair))
	case numerical:
		if strings.TrimSpace(s) == "" || strings.TrimSpace(s) == "*" {
			a.text = text{format, "*"}
			return
		}
		var err error
		if a.number, err = numberOf(s); err != nil {
			q.err = err
		}
	default:
		a.text = textOf(format, s)
	}
}

var weighted = regexp.MustCompile(`^\s*%(-?[\d.,]+)%`)

func cutWeight(s string) (*float64, string) {
	m := weighted.FindStringSubmatch(s)
	if m == nil {
		return nil, s
	}
	weight, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", "."), 64)
	if err != nil {
		return nil, s
	}
	return &weight, s[len(m[0]):]
}

func (q *question) numbers(format, s string) {
	q.listed = s != "" && (s[0] == '=' || s[0] == '~')
	if !q.listed {
		s = "=" + s
	}
	q.list(format, s)
}

func numberOf(s string) (*number, error) {
	s = strings.TrimSpace(meaning.Replace(s))
	n := number{kind: "simple"}
	low, high, between := strings.Cut(s, "..")
	value, within, ranged := strings.Cut(s, ":")
	var first, second error
	switch {
	case between:
		n.kind = "high-low"
		n.lowest, first = strconv.ParseFloat(strings.TrimSpace(low), 64)
		n.higher, second = strconv.ParseFloat(strings.TrimSpace(high), 64)
	case ranged:
		n.kind = "range"
		n.value, first = strconv.ParseFloat(strings.TrimSpace(value), 64)
		n.within, second = strconv.ParseFloat(strings.TrimSpace(within), 64)
	default:
		n.value, first = strconv.ParseFloat(s, 64)
	}
	if first != nil || second != nil {
		return nil, &bank.Problem{Code: bank.Malformed, Message: fmt.Sprintf("%q is no number; expected 5, 5:0.1 or 4.9..5.1", s)}
	}
	return &n, nil
}
