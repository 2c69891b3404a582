package exchange_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/kernel/content"
)

// summary describes an item in a line: its kind, method, options (! is right), key and losses.
func summary(it *bank.Item) string {
	words := []string{string(it.Kind)}
	add := func(word string, given bool) {
		if given {
			words = append(words, word)
		}
	}
	add(it.Method, it.Method != "")
	for _, o := range it.Options {
		add(o.ID+"="+bank.Plain(o.Content)+map[bool]string{true: "!"}[o.Correct], true)
	}
	for _, o := range it.Prompts {
		add(o.ID+"="+bank.Plain(o.Content), true)
	}
	for _, o := range it.Pool {
		add("pool:"+o.ID+"="+bank.Plain(o.Content), true)
	}
	add(fmt.Sprint(it.Pairs), it.Pairs != nil)
	add(strings.Join(it.Order, ">"), it.Order != nil)
	add(fmt.Sprintf("%q", it.Accepted), it.Accepted != nil)
	for _, g := range it.Gaps {
		var options []string
		for _, o := range g.Options {
			options = append(options, o.ID+"="+bank.Plain(o.Content))
		}
		add(fmt.Sprintf("%s:%s%v%v%q", g.ID, g.Kind, options, g.Right, g.Accepted), true)
		if g.Value != nil {
			add(fmt.Sprintf("%g±%g", *g.Value, g.Tolerance), true)
		}
		if g.Weight != nil {
			add(fmt.Sprintf("x%g", *g.Weight), true)
		}
	}
	if it.Value != nil {
		add(fmt.Sprintf("%g±%g", *it.Value, it.Tolerance), true)
	}
	add(fmt.Sprintf("%d..%d", it.MinSelections, it.MaxSelections), it.MinSelections+it.MaxSelections > 0)
	for _, n := range it.Notices {
		add(string(n.Code), true)
	}
	for _, p := range it.Problems {
		add("!"+p.Code, true)
	}
	return strings.Join(words, " ")
}

func summaries(t *testing.T, source string) []string {
	t.Helper()
	var all []string
	for _, it := range read(t, []byte(source)) {
		all = append(all, summary(it))
	}
	return all
}

func TestGIFTIsReadAsItsAuthorMeant(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"Q {=a ~b#no}":                       "mcq A=a! B=b option_feedback_dropped",
		"Q {~%50%a =b}":                      "mcq A=a B=b! partial_answer",
		"Q {=a =b ~c}":                       "mrq all_or_nothing A=a! B=b! C=c mapping_changed",
		"Q {~%50%a ~%50%b ~%-50%c}":          "mrq partial A=a! B=b! C=c",
		"Q {~%50%a ~%50%b ~c}":               "mrq partial A=a! B=b! C=c negative_fraction",
		"Q {~%70%a ~%30%b ~%-50%c}":          "mrq partial A=a! B=b! C=c unequal_weights",
		"Q {T}":                              "mcq T=True! F=False",
		"Q {=a =%50%b =c*}":                  `short_text ["a" "c*"] wildcard partial_answer`,
		"Q {#5:0.1}":                         "numeric 5±0.1",
		"Q {#0.1..0.3}":                      "numeric 0.2±0.1",
		"Q {#=5:1 =%50%6}":                   "numeric 5±1 partial_answer",
		"Q {#=5 =7}":                         "numeric 5±0 several_values",
		"Q {~a ~b}":                          "mrq A=a B=b negative_fraction !incomplete",
		"Q {#five}":                          "numeric !malformed",
		"Q {}":                               "essay",
		"::T::Only text":                     "passage description_as_passage",
		"Q {=a -> x =b -> y =c -> x = -> z}": "match partial A=y B=z C=x p1=a p2=b p3=c [[p1 C] [p2 A] [p3 C]]",
		"Q {=a":                              `short_text ["a"] !malformed`,
		"Q {=a} and {=b}":                    `short_text ["a"] !malformed`,
		"Caf\xe9 {=caf\xe9}":                 `short_text ["café"]`,
	} {
		if got := summaries(t, source); !slices.Equal(got, []string{want}) {
			t.Errorf("%q:\n got %q\nwant %q", source, got, want)
		}
	}
}

func TestAQuestionWithoutAnEndTakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	got := summaries(t, "::A::Q {=a\n\n::B::Q {=b}\n\nQ {\n=c\n\n=d}\n\nLast {T}")
	want := []string{`short_text ["a"] !malformed`, `short_text ["b"]`, `short_text ["c" "d"]`, "mcq T=True! F=False"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// answer writes an answer of Moodle XML.
func answer(fraction, text string) string {
	return `<answer fraction="` + fraction + `"><text>` + text + `</text></answer>`
}

func TestMoodleXMLIsReadAsItsAuthorMeant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, stem, body, want string }{
		{"multichoice", "Q", "<single>true</single>" + answer("100", "a") + answer("0", "b"), "mcq A=a! B=b"},
		{"multichoice", "Q", "<single>true</single>" + answer("100", "a") + answer("-25", "b"), "mcq A=a! B=b negative_fraction"},
		{"multichoice", "Q", "<single>false</single>" + answer("50", "a") + answer("50", "b") + answer("-50", "c"), "mrq partial A=a! B=b! C=c"},
		{"multichoice", "Q", "<single>0</single>" + answer("33.33333", "a") + answer("66.66667", "b") + answer("0", "c"), "mrq partial A=a! B=b! C=c unequal_weights negative_fraction"},
		{"multichoiceset", "Q", answer("100", "a") + answer("100", "b") + answer("0", "c"), "mrq all_or_nothing A=a! B=b! C=c"},
		{"truefalse", "Q", answer("100", "true") + answer("0", "false"), "mcq T=True! F=False"},
		{"truefalse", "Q", answer("0", "true"), " !incomplete"},
		{"shortanswer", "Q", answer("100", "a") + answer("50", "b") + "<usecase>1</usecase>", `short_text ["a"] partial_answer case_ignored`},
		{"numerical", "Q", `<answer fraction="100"><text>5,5</text><tolerance>0.1</tolerance></answer><units><unit><unit_name>m</unit_name></unit></units>`, "numeric 5.5±0.1 units"},
		{"essay", "Q", "<graderinfo><text>note</text></graderinfo>", "essay hint_dropped"},
		{"description", "Q", "", "passage description_as_passage"},
		{"cloze", "{1:SA:=a~%50%b#half} {2:NM:=3:0.5} {1:MC:x~=y &amp;lt;z}", "",
			`gap partial g1:text[][]["a"] g2:number[][][] 3±0.5 x2 g3:choice[A=x B=y <z][B][] option_feedback_dropped partial_answer`},
		{"cloze", "{1:MULTIRESPONSE:=a~=b}", "", `gap partial g1:text[][][""] unsupported_interaction`},
		{"gapselect", "[[2]] [[3]]", "<selectoption><text>a</text><group>1</group></selectoption><selectoption><text>b</text><group>1</group></selectoption><selectoption><text>c</text><group>2</group></selectoption>",
			"gap partial g1:choice[A=a B=b][B][] g2:choice[A=c][A][]"},
		{"ddwtos", "[[2]]", "<dragbox><text>a</text><group>1</group></dragbox><dragbox><text>b</text><group>1</group></dragbox>", "gap partial pool:A=a pool:B=b g1:pool[][B][]"},
		{"gapfill", "The [cat|dog] sat", "<delimitchars>[]</delimitchars><answerdisplay>gapfill</answerdisplay>", `gap partial g1:text[][]["cat" "dog"]`},
		{"gapfill", "The [cat] sat", "<delimitchars>[]</delimitchars><answerdisplay>dragdrop</answerdisplay>" + answer("100", "cat") + answer("0", "dog"), "gap partial pool:A=cat pool:B=dog g1:pool[][A][]"},
		{"gapfill", "No gap", "", "gap partial !incomplete"},
		{"matching", "Q", "<subquestion><text>a</text><answer><text>x</text></answer></subquestion><subquestion><text></text><answer><text>y</text></answer></subquestion>", "match partial A=y B=x p1=a [[p1 B]]"},
		{"mtf", "Q", `<scoringmethod><text>subpoints</text></scoringmethod><row number="1"><optiontext><text>a</text></optiontext></row><column number="1"><responsetext><text>yes</text></responsetext></column><weight rownumber="1" columnnumber="1"><value>1.0</value></weight>`,
			"match partial A=yes p1=a [[p1 A]]"},
		{"ordering", "Q", "<gradingtype>2</gradingtype>" + answer("1", "a") + answer("2", "b"), "order partial A=b B=a B>A mapping_changed"},
		{"calculated", "Q", "", " parameterised"},
		{"coderunner", "Q", "", "coderunner unsupported_plugin"},
	} {
		source := `<quiz><question type="` + c.kind + `"><questiontext format="html"><text>` + c.stem + "</text></questiontext>" + c.body + "</question></quiz>"
		if got := summaries(t, source); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s:\n got %q\nwant %q", c.kind, got, c.want)
		}
	}
}

func TestMoodleXMLKeepsCategoriesTagsAndPictures(t *testing.T) {
	t.Parallel()
	items := read(t, []byte(`<quiz><question type="category"><category><text>$course$/top/Logic/Sets//Maps</text></category></question>
<question type="essay"><name><text>Name</text></name><idnumber>7</idnumber><defaultgrade>2.0000</defaultgrade><tags><tag><text>easy</text></tag></tags>
<questiontext format="html"><text><![CDATA[<p>\(x\)<img src="@@PLUGINFILE@@/a%20leaf.png" alt="A leaf"></p>]]></text><file name="a leaf.png" path="/" encoding="base64">iVBORw0KGgo=</file></questiontext>
<generalfeedback format="markdown"><text>**because**</text></generalfeedback></question></quiz>`))
	it := items[0]
	two := 2.0
	want := &bank.Item{Line: 2, ID: "7", Name: "Name", Category: []string{"Logic", "Sets/Maps"}, Tags: []string{"easy"}, Kind: "essay", Weight: &two,
		Files: []bank.File{{Name: "a leaf.png", Type: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}}}
	want.Stem, want.Explanation = it.Stem, it.Explanation
	if diff := cmp.Diff(want, it); diff != "" {
		t.Error(diff)
	}
	if len(it.Stem) != 2 || it.Stem[1].AssetID != "a leaf.png" || it.Stem[0].Children[0].Marks[0].Type != content.Math || it.Explanation[0].Children[0].Marks == nil {
		t.Errorf("%+v %+v", it.Stem, it.Explanation)
	}
}
