package qti

import (
	"strings"

	"golang.org/x/net/html"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/markup"
)

// test1 reads an assessment of QTI 1.2, which holds its items.
func (f *testFile) test1(n *html.Node) *bank.Test {
	t := &bank.Test{Item: bank.Item{ID: markup.Attr(n, "ident"), Name: strings.Join(strings.Fields(markup.Attr(n, "title")), " "), Locale: language(n)}}
	for field := range markup.Children(markup.Child(n, "qtimetadata"), "qtimetadatafield") {
		switch value := markup.Text(field, "fieldentry"); markup.Text(field, "fieldlabel") {
		case "qmd_timelimit":
			t.TimeLimit = seconds(60 * decimalOf(value))
		case "cc_maxattempts":
			if value != "1" && value != "" {
				t.Lose(bank.TestSettingDropped, "the number of attempts")
			}
		}
	}
	if markup.Child(n, "duration") != nil {
		t.Lose(bank.TimeLimitDropped)
	}
	if markup.First(n, "outcomes_processing") != nil {
		t.Lose(bank.TestProcessing)
	}
	if markup.Child(n, "rubric") != nil || markup.Child(n, "presentation_material") != nil {
		t.Lose(bank.InstructionsDropped)
	}
	if markup.First(n, "assessfeedback", "sectionfeedback") != nil {
		t.Lose(bank.TestFeedbackDropped)
	}
	if markup.First(n, "selection") != nil {
		t.Lose(bank.SelectionDropped)
	}
	if markup.First(n, "sectionprecondition", "sectionpostcondition", "itemprecondition", "itempostcondition") != nil {
		t.Lose(bank.BranchRules)
	}
	if markup.First(n, "sectionref", "sourcebank_ref") != nil {
		t.Lose(bank.UnsupportedTestPart, "questions of a bank in another file")
	}
	f.section1(t, n, "")
	return t
}

// section1 adds a section, and its sections as sections of their own. The assessment itself is the first one.
func (f *testFile) section1(t *bank.Test, n *html.Node, around string) {
	s := bank.TestSection{Title: strings.Join(strings.Fields(markup.Attr(n, "title")), " ")}
	if n.Data == "assessment" {
		s.Title = ""
	}
	if around != "" && s.Title != "" {
		s.Title = around + " / " + s.Title
	}
	if markup.Child(n, "duration") != nil && n.Data == "section" {
		t.Lose(bank.TimeLimitDropped, "of a section")
	}
	for part := range markup.Children(n, "") {
		switch part.Data {
		case "item":
			for _, it := range f.itemsOf(part, 0) {
				if it.Kind != bank.Passage {
					s.Items = append(s.Items, bank.TestItem{ID: it.ID})
				}
			}
		case "itemref":
			s.Items = append(s.Items, bank.TestItem{ID: markup.Attr(part, "linkrefid")})
		case "section":
			t.Section(s)
			s.Items = nil
			f.section1(t, part, s.Title)
		}
	}
	t.Section(s)
}
