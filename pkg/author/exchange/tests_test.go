package exchange_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
)

// shape describes a test in a line: its id, settings, sections with their questions, and losses.
func shape(t *bank.Test) string {
	words := []string{t.ID + ":" + t.Name}
	if t.TimeLimit != nil {
		words = append(words, fmt.Sprintf("%ds", *t.TimeLimit))
	}
	for word, is := range map[string]bool{"linear": t.Linear, "shuffled": t.Shuffled} {
		if is {
			words = append(words, word)
		}
	}
	slices.Sort(words[1:])
	for _, s := range t.Sections {
		one := "[" + s.Title
		if s.TimeLimit != nil {
			one += fmt.Sprintf(" %ds", *s.TimeLimit)
		}
		for _, i := range s.Items {
			one += " " + i.ID
			if i.Weight != nil {
				one += fmt.Sprintf("*%g", *i.Weight)
			}
		}
		words = append(words, one+"]")
	}
	for _, n := range t.Notices {
		words = append(words, string(n.Code))
	}
	for _, p := range t.Problems {
		words = append(words, "!"+p.Code)
	}
	return strings.Join(words, " ")
}

func testsOf(t *testing.T, data []byte) []string {
	t.Helper()
	f, err := exchange.Named("qti")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	err = f.ReadTests(bytes.NewReader(data), func(one *bank.Test) error {
		all = append(all, shape(one))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func zippedOf(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// test21 is a test of QTI 2.1 with one part.
func test21(before, part, after string) string {
	return `<assessmentTest xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="t1" title="A  test">` + before +
		`<testPart identifier="p" navigationMode="linear" submissionMode="simultaneous">` + part + `</testPart>` + after + `</assessmentTest>`
}

const (
	sectionA = `<assessmentSection identifier="a" title="A" visible="true"><assessmentItemRef identifier="r1" href="items/x.xml"><weight identifier="W" value="3"/></assessmentItemRef></assessmentSection>`
	adding   = `<outcomeProcessing><setOutcomeValue identifier="SCORE"><sum><testVariables variableIdentifier="SCORE" weightIdentifier="W"/></sum></setOutcomeValue></outcomeProcessing>`
)

func TestTestsOfQTI2AreReadAsTheirAuthorsMeant(t *testing.T) {
	t.Parallel()
	twice := item21(declared("R", "single", "identifier", "b"), choices, "<responseProcessing>"+whenRight("2", "R")+"</responseProcessing>")
	ref := func(id, more string) string {
		return `<assessmentItemRef identifier="` + id + `" href="elsewhere.xml">` + more + `</assessmentItemRef>`
	}
	in := func(title, more string) string {
		return `<assessmentSection identifier="s" title="` + title + `" visible="true">` + more + `</assessmentSection>`
	}
	const shuffle = `<ordering shuffle="true"/>`
	for name, c := range map[string]struct{ source, want string }{
		"weights times the points of the item": {test21("", sectionA, adding), "t1:A test linear [A i1*6]"},
		"weights that do not count":            {test21("", sectionA, strings.Replace(adding, ` weightIdentifier="W"`, "", 1)), "t1:A test linear [A i1]"},
		"time":                                 {test21(`<timeLimits maxTime="3600"/>`, in("A", `<timeLimits maxTime="59.5"/>`+ref("x", "")), ""), "t1:A test 3600s linear [A 60s x]"},
		"time of the only part":                {test21("", `<timeLimits maxTime="60"/>`+in("A", ref("x", "")), ""), "t1:A test 60s linear [A x]"},
		"time that does not fit": {test21(`<timeLimits maxTime="60" minTime="5"/>`, in("A", `<timeLimits maxTime="90"/>`+ref("x", "<timeLimits maxTime='5'/>")), ""),
			"t1:A test 60s linear [A x] time_limit_dropped time_limit_dropped time_limit_dropped"},
		"random order":            {test21("", in("A", shuffle+ref("x", ""))+in("B", shuffle+ref("y", "")), ""), "t1:A test linear shuffled [A x] [B y]"},
		"random order of some":    {test21("", in("A", shuffle+ref("x", ""))+in("B", ref("y", "")), ""), "t1:A test linear [A x] [B y] test_order_dropped"},
		"sections in sections":    {test21("", in("A", ref("x", "")+in("B", ref("y", ""))+ref("z", "")), ""), "t1:A test linear [A x] [A / B y] [A z]"},
		"a selection":             {test21("", in("A", `<selection select="1"/>`+ref("x", "")+ref("y", "")), ""), "t1:A test linear [A x y] selection_dropped"},
		"rules that skip":         {test21("", in("A", ref("x", "<branchRule target='EXIT_TEST'><isNull/></branchRule>")), ""), "t1:A test linear [A x] branch_rules"},
		"its own result":          {test21("", sectionA, "<outcomeProcessing><exitTest/></outcomeProcessing>"), "t1:A test linear [A i1*6] test_processing"},
		"instructions, feedback":  {test21("", in("A", "<rubricBlock view='candidate'>Read</rubricBlock><itemSessionControl maxAttempts='2'/>"+ref("x", "")), "<testFeedback>Well</testFeedback>"), "t1:A test linear [A x] test_setting_dropped instructions_dropped test_feedback_dropped"},
		"a section in its file":   {test21("", sectionA+"<assessmentSectionRef identifier='s' href='s.xml'/>", ""), "t1:A test linear [A i1*6] unsupported_test_part"},
		"no questions":            {test21("", in("A", ""), ""), "t1:A test linear !incomplete"},
		"one part without return": {strings.Replace(test21("", sectionA, ""), "</assessmentTest>", `<testPart identifier="q" navigationMode="nonlinear">`+in("B", ref("x", ""))+"</testPart></assessmentTest>", 1), "t1:A test [A i1*6] [B x] test_order_dropped"},
	} {
		got := testsOf(t, zippedOf(t, map[string]string{"test.xml": c.source, "items/x.xml": twice}))
		if diff := cmp.Diff([]string{c.want}, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestAnAssessmentOfQTI1IsATest(t *testing.T) {
	t.Parallel()
	item := func(id string) string {
		return `<item ident="` + id + `"><presentation><material><mattext>Q</mattext></material><response_str ident="r"><render_fib/></response_str></presentation></item>`
	}
	source := `<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2"><assessment ident="a1" title="Quiz"><qtimetadata><qtimetadatafield><fieldlabel>qmd_timelimit</fieldlabel><fieldentry>30</fieldentry></qtimetadatafield>` +
		`<qtimetadatafield><fieldlabel>cc_maxattempts</fieldlabel><fieldentry>2</fieldentry></qtimetadatafield></qtimetadata><section ident="root_section">` + item("q1") +
		`<section title="Group"><selection_ordering><selection><selection_number>1</selection_number></selection></selection_ordering>` + item("q2") + item("q3") + `</section></section></assessment></questestinterop>`
	want := []string{"a1:Quiz 1800s [ q1] [Group q2 q3] test_setting_dropped selection_dropped"}
	if diff := cmp.Diff(want, testsOf(t, []byte(source))); diff != "" {
		t.Error(diff)
	}
	if got := testsOf(t, []byte(item21("", "<p>x</p>", ""))); got != nil {
		t.Errorf("an item is no test: %v", got)
	}
}

// A test comes back as it went, with the weights that differ from the weights of its items.
func TestATestComesBackAsItWent(t *testing.T) {
	t.Parallel()
	qti, err := exchange.Named("qti")
	if err != nil {
		t.Fatal(err)
	}
	limit, short := 3600, 60
	test := bank.Test{Item: bank.Item{ID: "t 1", Name: `A "test"`}, TimeLimit: &limit, Linear: true, Shuffled: true, Sections: []bank.TestSection{
		{Title: "A", TimeLimit: &short, Items: []bank.TestItem{{ID: "id of rich", Weight: ptr(5)}, {ID: "id of mcq"}}}, {Items: []bank.TestItem{{ID: "id of mcq", Weight: ptr(0.1)}}}}}
	want, lost := shape(&test), test
	lost.ID, lost.Sections = "t2", []bank.TestSection{{Items: []bank.TestItem{{ID: "elsewhere"}}}}
	var out bytes.Buffer
	w := qti.NewWriter(&out).(exchange.TestWriter)
	for _, name := range []string{"rich", "mcq"} {
		it := samples()[name]
		it.ID = "id of " + name
		if err := w.Add(&it); err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range []*bank.Test{&test, &lost} {
		if err := w.AddTest(one); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if lost.Usable() || len(test.Notices) > 0 {
		t.Errorf("the test loses %v, the one without its question %v", test.Notices, lost.Problems)
	}
	if diff := cmp.Diff([]string{want}, testsOf(t, out.Bytes())); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, out.Bytes())
	}
	if items := read(t, out.Bytes()); len(items) != 2 {
		t.Errorf("%d items beside the tests", len(items))
	}
	for name, want := range map[string]string{"qti": "3 3 map[]", "gift": "2 2 map[test_dropped:1]"} {
		to, err := exchange.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := exchange.Convert(bytes.NewReader(out.Bytes()), qti, &bytes.Buffer{}, to, false)
		if got := fmt.Sprint(r.Items, r.Whole, r.Counts); err != nil || got != want {
			t.Errorf("to %s: %s, %v", name, got, err)
		}
	}
}
