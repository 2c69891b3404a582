package intake

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
	"assess/pkg/kernel/wire"
)

var methods = map[string]string{"": "", "allornothing": scoring.AllOrNothing, "partial": scoring.Partial}

// parseKey reads what makes an answer right, except options.
func (q *question) parseKey(r row) {
	q.scoring.Method = oneOf(r, "scoring", methods, "expected all_or_nothing or partial")
	for name, place := range map[string]*int{"minSelections": &q.scoring.MinSelections, "maxSelections": &q.scoring.MaxSelections} {
		if n := r.whole(name); n != nil {
			*place = *n
		}
	}
	if tolerance := r.number("tolerance"); tolerance != nil {
		q.scoring.Tolerance = *tolerance
	}
	switch t := q.qtype.Type(); {
	case t.Has(scoring.PartAcceptedAnswers):
		q.scoring.AcceptedAnswers = splitAnswers(r.text("correct"))
	case t.Has(scoring.PartValue):
		q.parseNumber(r)
	case t.Has(scoring.PartOrder):
		q.scoring.Order = r.letters(r.text("correct"))
	case t.ByPeople() && r.text("correct") != "":
		r.problem("correct", "unsupported", t.String()+" is scored by a person and has no right answer")
	}
}

// splitAnswers splits accepted answers at |. A backslash before a | or a backslash makes it
// part of the answer; elsewhere it is an ordinary character.
func splitAnswers(cell string) []string {
	var answers []string
	var one strings.Builder
	flush := func() {
		if answer := strings.TrimSpace(one.String()); answer != "" {
			answers = append(answers, answer)
		}
		one.Reset()
	}
	for i := 0; i < len(cell); i++ {
		switch {
		case cell[i] == '\\' && i+1 < len(cell) && strings.IndexByte(`|\`, cell[i+1]) >= 0:
			i++
			one.WriteByte(cell[i])
		case cell[i] == '|':
			flush()
		default:
			one.WriteByte(cell[i])
		}
	}
	flush()
	return answers
}

func joinAnswers(answers []string) string {
	escape := strings.NewReplacer(`\`, `\\`, "|", `\|`)
	escaped := make([]string, len(answers))
	for i, answer := range answers {
		escaped[i] = escape.Replace(answer)
	}
	return strings.Join(escaped, " | ")
}

// parseNumber reads the right number, with its tolerance after a ± or +- unless that has a
// column of its own.
func (q *question) parseNumber(r row) {
	number, tolerance, both := strings.Cut(strings.Replace(r.text("correct"), "+-", "±", 1), "±")
	q.scoring.Value = r.readNumber("correct", strings.TrimSpace(number))
	if !both {
		return
	}
	t := r.readNumber("correct", strings.TrimSpace(tolerance))
	switch {
	case t == nil:
		r.problem("correct", "invalid_number", "expected a tolerance behind the ±")
	case r.text("tolerance") != "" && *t != q.scoring.Tolerance:
		r.problem("tolerance", "rows_disagree", "the column correct states another tolerance")
	default:
		q.scoring.Tolerance = *t
	}
}

func (q *question) parseOptions(r row, document func(column, text string) content.Document) {
	correct := map[string]bool{}
	if q.qtype == "" || q.qtype.Type().Chooses() {
		correct = q.parseCorrect(r)
	}
	for _, letter := range optionLetters {
		name := string(letter)
		text := r.text("option" + name)
		if text == "" {
			continue
		}
		q.options = append(q.options, option{name, document("option"+name, text), correct[name]})
		delete(correct, name)
	}
	for _, name := range slices.Sorted(maps.Keys(correct)) {
		r.problem("correct", "unknown_option", "the row has no option "+name)
	}
}

// letters reads the letters of options in the column correct: "AC", "A;C", "A,C" or "a c".
func (r row) letters(cell string) []string {
	var all []string
	for _, letter := range strings.ToUpper(cell) {
		name := string(letter)
		switch {
		case strings.ContainsRune(" ;,/|", letter):
		case !strings.ContainsRune(optionLetters, letter):
			r.problem("correct", "invalid_letters", "expected the letters of the right options, such as B or AC")
			return nil
		case slices.Contains(all, name):
			r.problem("correct", "duplicate_option", "the letter "+name+" comes twice")
		default:
			all = append(all, name)
		}
	}
	return all
}

// parseCorrect gives the letters of the right options.
func (q *question) parseCorrect(r row) map[string]bool {
	letters := map[string]bool{}
	for _, name := range r.letters(r.required("correct")) {
		letters[name] = true
	}
	if t := q.qtype.Type(); t.Answer == scoring.OneOption && len(letters) > 1 {
		r.problem("correct", "one_correct_option", t.String()+" has exactly one right option; "+
			strings.Join(scoring.QTypes(scoring.SeveralOptions), " and ")+" takes several")
	}
	return letters
}

// besideContent are the columns that may be filled together with content.
var besideContent = []string{"externalId", "qtype", "terms", "tags", "lang", "content"}

// parseWhole reads the column content: the question as POST /questions takes it.
func (q *question) parseWhole(r row) {
	for _, c := range r.file.columns {
		if r.text(c.name) != "" && !slices.Contains(besideContent, c.name) {
			r.problem(c.name, "beside_content", "the column content holds the whole question; leave this cell empty")
		}
	}
	var in authoring.QuestionInput
	if !r.json("content", &in) {
		return
	}
	if in.QType != "" && in.QType != q.qtype {
		r.problem("qtype", "rows_disagree", "the column content states another type")
	}
	in.ExternalID, in.QType = q.externalID, q.qtype
	q.whole = &in
}

// json reads one JSON value that has only known fields.
func (r row) json(name string, to any) bool {
	d := json.NewDecoder(bytes.NewReader(wire.Compose([]byte(r.text(name)))))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if err == nil {
		_, err = d.Token()
	}
	if err != io.EOF {
		r.problem(name, "malformed_json", "expected one JSON object with the fields that the interface takes")
		return false
	}
	return true
}
