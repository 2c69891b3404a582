package demo

import "strconv"

// EmailDomain is where the candidates of a data set live (RFC 2606: nobody has it).
const EmailDomain = "demo.example"

// Email is the address under which a person of a data set is imported.
func Email(personID string) string { return personID + "@" + EmailDomain }

// QuestionsCSV gives the import file of the questions (decisions, section 9). The
// sample has real ones in two languages. Data sets whose questions are not public get
// a placeholder for each item, "Item HCI01" with "Option A" and so on, so that the real
// answers can be delivered and scored; several right options count all or nothing.
func (d Dataset) QuestionsCSV() []byte {
	if d.questions != nil {
		return d.questions
	}
	width := 0
	for _, item := range d.Items {
		width = max(width, item.Options)
	}
	header := []string{"externalId", "qtype", "stem"}
	for i := range width {
		header = append(header, "option"+letter(i))
	}
	rows := [][]string{append(header, "correct", "weight", "lang", "format")}
	for _, item := range d.Items {
		rows = append(rows, item.placeholder(width))
	}
	return encode(rows)
}

func (item Item) placeholder(width int) []string {
	qtype, stem := "mcq", item.Stem
	if item.Multiple {
		qtype = "mrq"
	}
	if stem == "" {
		stem = "Item " + item.ID
	}
	cells := []string{item.ID, qtype, stem}
	for i := range width {
		option := ""
		if i < item.Options {
			option = "Option " + letter(i)
		}
		cells = append(cells, option)
	}
	return append(cells, item.Key, "1", "en", "plain")
}

func letter(i int) string { return string(rune('A' + i)) }

// EvaluationCSV gives the import file of one evaluation with all items, a section per
// topic, published at once (decisions, section 9). There is no time limit and no limit
// of attempts: the answers exist already. Order is fixed, so that a replay is the exam
// that was sat. passMarkPercent goes from 0 to 100.
func (d Dataset) EvaluationCSV(externalID, title string, passMarkPercent float64) []byte {
	rows := [][]string{{
		"evaluation", "title", "section", "question", "weight", "passMarkPercent", "timeLimitSeconds",
		"feedbackMode", "reviewPolicy", "maxAttemptsPerUser", "cooloffSeconds", "navigation",
		"shuffleItems", "shuffleOptions", "publish",
	}}
	passMark := strconv.FormatFloat(passMarkPercent, 'f', -1, 64)
	settings := []string{passMark, "", "overall", "self_approve", "", "", "free", "no", "no", "yes"}
	for _, section := range d.sections() {
		for _, item := range section.items {
			cells := append([]string{externalID, title, section.title, item.ID, "1"}, settings...)
			rows = append(rows, cells)
			// Only the first row has settings.
			settings = make([]string, len(settings))
		}
	}
	return encode(rows)
}

type section struct {
	title string
	items []Item
}

// sections groups the items by topic, topics in the order of their first item.
func (d Dataset) sections() []section {
	var out []section
	at := map[string]int{}
	for _, item := range d.Items {
		title := item.Topic
		if title == "" {
			title = "All items"
		}
		i, ok := at[title]
		if !ok {
			i = len(out)
			at[title] = i
			out = append(out, section{title: title})
		}
		out[i].items = append(out[i].items, item)
	}
	return out
}

// UsersCSV gives the import file of the candidates (decisions, section 9): one user per
// person with the role of a candidate; group columns become metadata.
func (d Dataset) UsersCSV() []byte {
	header := []string{"email", "name", "roles"}
	for _, column := range d.GroupColumns {
		header = append(header, "meta."+column)
	}
	rows := [][]string{header}
	for _, person := range d.Persons {
		cells := []string{Email(person.ID), "Candidate " + person.ID, "candidate"}
		rows = append(rows, append(cells, person.Groups...))
	}
	return encode(rows)
}
