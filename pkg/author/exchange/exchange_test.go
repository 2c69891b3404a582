package exchange_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

var pixel = []byte("\x89PNG\r\n\x1a\n, and what makes a picture")

func para(text string) []content.Block { return bank.Paragraph(text) }

func options(right string, texts ...string) []bank.Option {
	all := bank.PlainOptions(texts)
	for i := range all {
		all[i].Correct = strings.Contains(right, all[i].ID)
	}
	return all
}

func marked(text string, mark content.MarkType) content.Text {
	return content.Text{Text: text, Marks: []content.Mark{{Type: mark}}}
}

func withGaps(keys ...bank.GapKey) ([]content.Block, bank.Key) {
	texts := []content.Text{{Text: "Fill "}}
	for i := range keys {
		keys[i].ID = bank.Numbered("g", i+1)
		texts = append(texts, bank.GapOf(keys[i].ID), content.Text{Text: " and so on "})
	}
	texts[len(texts)-1].Text = "."
	return []content.Block{{Type: content.Paragraph, Children: texts}}, bank.Key{Gaps: keys, Method: scoring.Partial}
}

func ptr(x float64) *float64 { return &x }

// samples has an item of each kind, with its difficult parts.
func samples() map[string]bank.Item {
	choiceStem, choice := withGaps(bank.GapKey{Kind: bank.GapChoice, Options: bank.PlainOptions([]string{"a ~ b", `c = {d} # \ "e" <f> & 'g'`}), Right: []string{"B"}},
		bank.GapKey{Kind: bank.GapTyped, Accepted: []string{"Rome", "Roma*"}, Weight: ptr(2)}, bank.GapKey{Kind: bank.GapNumber, Value: ptr(-3.5), Tolerance: 0.25})
	poolStem, pool := withGaps(bank.GapKey{Kind: bank.GapPool, Right: []string{"B"}}, bank.GapKey{Kind: bank.GapPool, Right: []string{"A"}})
	pool.Pool = bank.PlainOptions([]string{"cat", "dog", "bird"})
	rich := []content.Block{
		{Type: content.Heading, Level: 2, Children: []content.Text{{Text: "A title: {1 = 2} ~ #3 \\ $$"}}},
		{Type: content.Paragraph, Children: []content.Text{{Text: "see "}, marked("bold\nline", content.Bold), {Text: " and "}, marked(`\frac{a}{b} < c`, content.Math), {Text: ".  Two spaces"}}},
		{Type: content.Image, AssetID: "leaf.png", Alt: `A "leaf"`},
		{Type: content.List, Ordered: true, Items: []content.ListItem{{Children: []content.Text{{Text: "one"}}, Items: []content.ListItem{{Children: []content.Text{{Text: "deep"}}}}}}},
		{Type: content.Table, Caption: "Yields", HeaderRows: 1, Rows: []content.Row{{Cells: []content.Cell{{Children: []content.Text{{Text: "h"}}}}}, {Cells: []content.Cell{{Children: []content.Text{{Text: "1"}}}}}}},
		{Type: content.Paragraph, Children: []content.Text{marked("if x {\n\treturn\n}", content.Code)}},
	}
	grid := []bank.Option{{ID: "T", Content: para("True")}, {ID: "F", Content: para("False")}}
	allStem, all := withGaps(bank.GapKey{Kind: bank.GapTyped, Accepted: []string{"a b", "c"}}, bank.GapKey{Kind: bank.GapNumber, Value: ptr(5), Tolerance: 1})
	all.Method = scoring.AllOrNothing
	typedStem, typed := withGaps(bank.GapKey{Kind: bank.GapTyped, Accepted: []string{"Rome", "Roma*"}})
	chosenStem, chosen := withGaps(bank.GapKey{Kind: bank.GapChoice, Options: bank.PlainOptions([]string{"a = b", "c", "~d"}), Right: []string{"A", "C"}})
	numberStem, number := withGaps(bank.GapKey{Kind: bank.GapNumber, Value: ptr(9.81), Tolerance: 0.01})
	return map[string]bank.Item{
		"gap typed":  {Kind: bank.Gap, Stem: append(para("With _____ here."), typedStem...), Key: typed, Explanation: para("because")},
		"gap chosen": {Kind: bank.Gap, Stem: chosenStem, Key: chosen, Weight: ptr(2)},
		"gap number": {Kind: bank.Gap, Stem: numberStem, Key: number},
		"areas": {Kind: scoring.MCQ, Stem: []content.Block{rich[1], rich[2]}, Files: []bank.File{{Name: "leaf.png", Type: "image/png", Data: pixel}},
			Options: []bank.Option{{ID: "A", Content: para("Stem"), Area: &bank.Area{Shape: "rect", Coords: []int{0, 10, 500, 1000}}},
				{ID: "B", Content: para("Tip"), Correct: true, Area: &bank.Area{Shape: "circle", Coords: []int{700, 10, 50}}}}},
		"grid": {Kind: bank.Match, Stem: para("Judge."), Options: grid, Weight: ptr(4), Key: bank.Key{Method: scoring.AllOrNothing, Layout: "grid",
			Prompts: []bank.Option{{ID: "p1", Content: para("1 < 2")}, {ID: "p2", Content: para("2 < 1")}}, Pairs: []scoring.Pair{{"p1", "T"}, {"p2", "F"}}}},
		"match many": {Kind: bank.Match, Stem: para("Sort them."), Options: bank.PlainOptions([]string{"Rome", "Milan", "Paris"}), Key: bank.Key{Method: scoring.Partial, MaxPerPrompt: 3, MaxPerOption: 1,
			Prompts: []bank.Option{{ID: "p1", Content: para("Italy")}, {ID: "p2", Content: para("France")}}, Pairs: []scoring.Pair{{"p1", "A"}, {"p1", "B"}, {"p2", "C"}}}},
		"order partial": {Kind: bank.Order, Stem: para("Sort."), Weight: ptr(3), Options: bank.PlainOptions([]string{"1", "2", "3"}), Key: bank.Key{Method: scoring.Partial, Order: []string{"A", "B", "C"}}},
		"all gaps":      {Kind: bank.Gap, Stem: allStem, Key: all, Weight: ptr(2)},
		"mcq":           {Kind: scoring.MCQ, Stem: para("Which? :: {x}"), Options: options("B", "one", "two = 2", "~three#"), Name: "A: name", Tags: []string{"easy", "a]b"}, Category: []string{"Logic", "Sets/Maps"}},
		"odd ids":       {Kind: scoring.MCQ, Stem: para("Which?"), Options: []bank.Option{{ID: "x1", Content: para("a"), Correct: true}, {ID: "x2", Content: para("b")}}},
		"rich": {Kind: scoring.MCQ, Stem: rich, Explanation: para("because {of} that"), Locale: "de", Weight: ptr(2.5), Options: options("A", "yes", "no"),
			Files: []bank.File{{Name: "leaf.png", Type: "image/png", Data: pixel}}},
		"true false":  {Kind: scoring.MCQ, Stem: para("It is."), Options: []bank.Option{{ID: "T", Content: para("True")}, {ID: "F", Content: para("False"), Correct: true}}},
		"mrq partial": {Kind: scoring.MRQ, Stem: para("Which ones?"), Options: options("ACD", "a", "b", "c", "d"), Key: bank.Key{Method: scoring.Partial}},
		"mrq":         {Kind: scoring.MRQ, Stem: para("Which ones?"), Options: options("AC", "a", "b", "c"), Key: bank.Key{Method: scoring.AllOrNothing, MinSelections: 1, MaxSelections: 2}},
		"short text":  {Kind: scoring.ShortText, Stem: para("Who?"), Key: bank.Key{Accepted: []string{"no one", "no*body = {x}", "a & <b>"}}},
		"numeric":     {Kind: scoring.Numeric, Stem: para("How many?"), Key: bank.Key{Value: ptr(-9.81), Tolerance: 0.01}},
		"essay":       {Kind: scoring.Essay, Stem: para("Say why."), Explanation: para("A hint for later")},
		"match": {Kind: bank.Match, Stem: para("What belongs together?"), Options: bank.PlainOptions([]string{"Rome", "Paris", "Bonn"}), Key: bank.Key{Method: scoring.Partial,
			Prompts: []bank.Option{{ID: "p1", Content: para("Italy = warm")}, {ID: "p2", Content: para("France")}}, Pairs: []scoring.Pair{{"p1", "A"}, {"p2", "B"}}}},
		"order": {Kind: bank.Order, Stem: para("Sort."), Options: bank.PlainOptions([]string{"1", "2", "3"}), Key: bank.Key{Method: scoring.AllOrNothing, Order: []string{"A", "B", "C"}}},
		"gaps":  {Kind: bank.Gap, Stem: choiceStem, Key: choice},
		"pool":  {Kind: bank.Gap, Stem: poolStem, Key: pool},
	}
}

// lost has the losses of a sample when it is exported to a format; "-" if all of it is lost.
var lost = map[string]map[string]string{
	"gift":       {"survey": "-", "mrq": "mapping_changed", "grid": "mapping_changed", "gaps": "-", "pool": "-", "order": "-", "areas": "-", "match many": "-", "order partial": "-", "all gaps": "-"},
	"moodle_xml": {"mrq": "mapping_changed", "grid": "mapping_changed", "all gaps": "mapping_changed", "areas": "-", "match many": "-"},
}

func write(t *testing.T, f exchange.Format, items ...*bank.Item) []byte {
	t.Helper()
	var out bytes.Buffer
	w := f.NewWriter(&out)
	for _, it := range items {
		if err := w.Add(it); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(t *testing.T, data []byte) []*bank.Item {
	t.Helper()
	input := bytes.NewReader(data)
	f, err := exchange.Find(input)
	if err != nil {
		t.Fatal(err)
	}
	return readAs(t, f, data)
}

func readAs(t *testing.T, f exchange.Format, data []byte) []*bank.Item {
	t.Helper()
	var items []*bank.Item
	err := f.Read(bytes.NewReader(data), func(it *bank.Item) error {
		items = append(items, it)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func TestEachKindComesBackAsItWent(t *testing.T) {
	t.Parallel()
	for _, f := range exchange.Formats {
		if !f.Writes() || !f.Reads() {
			continue
		}
		for name, it := range samples() {
			it.ID = "id of " + name
			want, out := it, it
			data := write(t, f, &out)
			loss := lost[f.Name][name]
			if loss == "-" {
				if out.Usable() {
					t.Errorf("%s of %s: expected to be refused", f.Name, name)
				}
				continue
			}
			for _, n := range out.Notices {
				if string(n.Code) != loss {
					t.Errorf("%s of %s loses %s (%s)", f.Name, name, n.Code, n.Message)
				}
			}
			back := read(t, data)
			if len(back) != 1 {
				t.Errorf("%s of %s: %d items of\n%s", f.Name, name, len(back), data)
				continue
			}
			if diff := cmp.Diff(want, *back[0], cmpopts.IgnoreFields(bank.Item{}, "Line", "Path"), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s of %s: %s\n%q", f.Name, name, diff, data)
			}
		}
	}
}

func TestAFormatIsFoundByItsBytes(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"<?xml version='1.0'?><!-- c > --><quiz/>":                                             "moodle_xml",
		"\xff\xfe<\x00q\x00u\x00i\x00z\x00>\x00":                                               "moodle_xml",
		"<!DOCTYPE questestinterop SYSTEM 'x' [<!-- > --><!ELEMENT a (b)>]><questestinterop/>": "qti",
		"<q:qti-assessment-item xmlns:q='x'/>":                                                 "qti",
		"Q?\nA) a\nB) b\nANSWER: A":                                                            "aiken",
		"Q {=a ~b}":                                                                            "gift",
		"// comment\n::T::text":                                                                "gift",
		"$CATEGORY: a/b\n":                                                                     "gift",
		"[html]Q {T}":                                                                          "gift",
		"<html><quiz/></html>":                                                                 "",
		"just text":                                                                            "",
		`{"json": "true"}`:                                                                     "",
		"":                                                                                     "",
		"\x00\x01\x02{":                                                                        "",
	} {
		f, err := exchange.Find(bytes.NewReader([]byte(source)))
		if f.Name != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", source, f.Name, err)
		}
	}
}

func TestTwoItemsOfOneIDAreAProblem(t *testing.T) {
	t.Parallel()
	items := read(t, []byte("// [id:1]\nA {T}\n\n// [id:1]\nB {T}\n\nC {T}\n\nC {T}"))
	for i, want := range []bool{true, false, true, false} {
		if items[i].Usable() != want {
			t.Errorf("item %d: %v", i, items[i].Problems)
		}
	}
}
