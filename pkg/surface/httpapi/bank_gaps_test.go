package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Gaps of each kind that Moodle and Canvas have come in over HTTP: the preview says what the commit does, and a second time nothing changes.
func TestGapsOfOtherSystemsComeInOverHTTP(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	moodle := func(questions ...string) string {
		return `<?xml version="1.0"?><quiz>` + strings.Join(questions, "") + `</quiz>`
	}
	of := func(kind, id, text, more string) string {
		return `<question type="` + kind + `"><name><text>` + id + `</text></name><idnumber>` + id + `</idnumber><questiontext format="html"><text><![CDATA[<p>` + text + `</p>]]></text></questiontext>` + more + `</question>`
	}
	word := func(tag, text string) string {
		return `<` + tag + `><text>` + text + `</text><group>1</group></` + tag + `>`
	}
	canvas := func(kind, id, text, labels, conditions string) string {
		return `<item ident="` + id + `" title="Q"><itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>question_type</fieldlabel><fieldentry>` + kind + `</fieldentry></qtimetadatafield><qtimetadatafield><fieldlabel>points_possible</fieldlabel><fieldentry>1</fieldentry></qtimetadatafield></qtimetadata></itemmetadata>
<presentation><material><mattext texttype="text/html">&lt;p&gt;` + text + `&lt;/p&gt;</mattext></material><response_lid ident="response_g"><material><mattext>g</mattext></material><render_choice>` + labels + `</render_choice></response_lid></presentation>
<resprocessing><outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>` + conditions + `</resprocessing></item>`
	}
	label := func(id, text string) string {
		return `<response_label ident="` + id + `"><material><mattext texttype="text/plain">` + text + `</mattext></material></response_label>`
	}
	right := func(id string) string {
		return `<respcondition><conditionvar><varequal respident="response_g">` + id + `</varequal></conditionvar><setvar varname="SCORE" action="Add">100.00</setvar></respcondition>`
	}
	for name, c := range map[string]struct {
		file  string
		kinds string
	}{
		"ddwtos":    {moodle(of("ddwtos", "d1", "A [[2]] and a [[1]].", word("dragbox", "cat")+word("dragbox", "dog"))), "pool,pool"},
		"gapselect": {moodle(of("gapselect", "s1", "A [[1]] or [[2]].", word("selectoption", "cat")+word("selectoption", "dog"))), "choice,choice"},
		"cloze":     {moodle(of("cloze", "c1", "In {1:SHORTANSWER:=Rome}, {1:NUMERICAL:=9.81:0.01}, {1:MULTICHOICE:no~=yes}.", "")), "text,number,choice"},
		"blanks":    {`<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">` + canvas("fill_in_multiple_blanks_question", "b1", "The capital is [g].", label("a", "Rome")+label("b", "Roma"), right("a")) + `</questestinterop>`, "text"},
		"dropdowns": {`<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">` + canvas("multiple_dropdowns_question", "m1", "The capital is [g].", label("a", "Rome")+label("b", "Milan"), right("a")) + `</questestinterop>`, "choice"},
	} {
		call := func(path, key string) (said struct{ ValidCount, Created, Unchanged, InvalidCount int }) {
			got := w.send(t, request{method: http.MethodPost, path: "/questions/import/" + path, token: w.home.Token, key: key, contentType: "application/xml", body: c.file})
			if err := json.Unmarshal(got.body, &said); err != nil || got.status != http.StatusOK {
				t.Errorf("%s: %s answers %d %s", name, path, got.status, got.body)
			}
			return said
		}
		if said := call("preview", ""); said.ValidCount != 1 || said.InvalidCount != 0 {
			t.Errorf("%s: the preview says %+v", name, said)
		}
		if said := call("commit", "first-"+name); said.Created != 1 {
			t.Errorf("%s: the commit says %+v", name, said)
		}
		if said := call("commit", "second-"+name); said.Unchanged != 1 {
			t.Errorf("%s: the second commit says %+v", name, said)
		}
		var list struct{ Items []struct{ ID string } }
		got := w.send(t, request{method: http.MethodGet, path: "/questions?qtype=gap&sort=-createdAt&limit=1", token: w.home.Token})
		if err := json.Unmarshal(got.body, &list); err != nil || len(list.Items) != 1 {
			t.Fatalf("%s: %d %s", name, got.status, got.body)
		}
		var shown struct {
			Draft struct{ Gaps []struct{ Kind string } }
		}
		got = w.send(t, request{method: http.MethodGet, path: "/questions/" + list.Items[0].ID, token: w.home.Token})
		if err := json.Unmarshal(got.body, &shown); err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, g := range shown.Draft.Gaps {
			kinds = append(kinds, g.Kind)
		}
		if strings.Join(kinds, ",") != c.kinds {
			t.Errorf("%s: the gaps are %v", name, kinds)
		}
	}
}
