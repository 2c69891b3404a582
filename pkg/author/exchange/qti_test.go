package exchange_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
)

// item21 is an item of QTI 2.1: declarations, body and processing.
func item21(declarations, body, processing string) string {
	if processing != "" && processing[0] != '<' {
		processing = `<responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/` + processing + `"/>`
	}
	return `<?xml version="1.0"?><assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="i1" title="Title" xml:lang="en">` +
		declarations + "<itemBody>" + body + "</itemBody>" + processing + "</assessmentItem>"
}

// declared is a response with its key: values that are pairs are directed.
func declared(id, cardinality, base string, values ...string) string {
	key := ""
	for _, v := range values {
		key += "<value>" + v + "</value>"
	}
	return fmt.Sprintf(`<responseDeclaration identifier="%s" cardinality="%s" baseType="%s"><correctResponse>%s</correctResponse></responseDeclaration>`, id, cardinality, base, key)
}

func mapped(id, cardinality, base, attributes string, entries ...string) string {
	all := ""
	for _, e := range entries {
		key, value, _ := strings.Cut(e, "=")
		all += `<mapEntry mapKey="` + key + `" mappedValue="` + value + `"/>`
	}
	return fmt.Sprintf(`<responseDeclaration identifier="%s" cardinality="%s" baseType="%s"><mapping %s>%s</mapping></responseDeclaration>`, id, cardinality, base, attributes, all)
}

const (
	choices = `<choiceInteraction responseIdentifier="R" maxChoices="1"><prompt>Q</prompt><simpleChoice identifier="a">A</simpleChoice><simpleChoice identifier="b">B</simpleChoice><simpleChoice identifier="c">C</simpleChoice></choiceInteraction>`
	entry   = `<p>Q <textEntryInteraction responseIdentifier="R"/></p>`
)

// conditions are response conditions of one response each.
func whenRight(points string, responses ...string) string {
	tests := ""
	for _, r := range responses {
		tests += `<match><variable identifier="` + r + `"/><correct identifier="` + r + `"/></match>`
	}
	if len(responses) > 1 {
		tests = "<and>" + tests + "</and>"
	}
	return `<responseCondition><responseIf>` + tests + `<setOutcomeValue identifier="SCORE"><sum><variable identifier="SCORE"/><baseValue baseType="float">` + points +
		`</baseValue></sum></setOutcomeValue></responseIf></responseCondition>`
}

func TestQTI2IsReadAsItsAuthorMeant(t *testing.T) {
	t.Parallel()
	several := strings.Replace(choices, `maxChoices="1"`, `maxChoices="0" minChoices="1"`, 1)
	gaps := `<p><textEntryInteraction responseIdentifier="R"/> and <inlineChoiceInteraction responseIdentifier="S"><inlineChoice identifier="x">X</inlineChoice><inlineChoice identifier="y">Y</inlineChoice></inlineChoiceInteraction></p>`
	match := `<matchInteraction responseIdentifier="R" maxAssociations="0"><prompt>Q</prompt><simpleMatchSet><simpleAssociableChoice identifier="p" matchMax="1">P</simpleAssociableChoice></simpleMatchSet><simpleMatchSet><simpleAssociableChoice identifier="x" matchMax="0">X</simpleAssociableChoice></simpleMatchSet></matchInteraction>`
	for name, c := range map[string]struct{ source, want string }{
		"choice":          {item21(declared("R", "single", "identifier", "b"), choices, "match_correct"), "mcq a=A b=B! c=C"},
		"choice mapped":   {item21(mapped("R", "single", "identifier", "", "b=2", "c=1"), choices, "map_response"), "mcq a=A b=B! c=C partial_answer"},
		"several":         {item21(declared("R", "multiple", "identifier", "a", "b"), several, "match_correct"), "mrq all_or_nothing a=A! b=B! c=C 1..0"},
		"several partial": {item21(mapped("R", "multiple", "identifier", `lowerBound="0" defaultValue="-1"`, "a=1", "b=1"), several, "map_response"), "mrq partial a=A! b=B! c=C 1..0"},
		"no floor":        {item21(mapped("R", "multiple", "identifier", `defaultValue="-1"`, "a=1", "b=1"), several, "map_response"), "mrq partial a=A! b=B! c=C 1..0 mapping_changed"},
		"no processing":   {item21(declared("R", "single", "identifier", "b"), choices, ""), "mcq a=A b=B! c=C scored_by_key"},
		"own processing":  {item21(declared("R", "single", "identifier", "b"), choices, "<responseProcessing><exitResponse/><setOutcomeValue identifier='SCORE'><randomFloat/></setOutcomeValue></responseProcessing>"), "mcq a=A b=B! c=C own_processing"},
		"written out":     {item21(declared("R", "single", "identifier", "b"), choices, "<responseProcessing>"+whenRight("3", "R")+"</responseProcessing>"), "mcq a=A b=B! c=C"},
		"survey":          {item21(declared("R", "single", "identifier"), choices, ""), "mcq a=A b=B c=C"},
		"text":            {item21(declared("R", "single", "string", "York"), entry, "match_correct"), `short_text ["York"] case_ignored`},
		"text mapped":     {item21(mapped("R", "single", "string", "", "1=1", "2=0.5"), entry, "map_response"), `short_text ["1"] partial_answer`},
		"number":          {item21(declared("R", "single", "float", "7.5"), entry, "match_correct"), "numeric 7.5±0"},
		"number near":     {item21(declared("R", "single", "float", "7.5"), entry, `<responseProcessing><responseCondition><responseIf><equal toleranceMode="absolute" tolerance="0.5 0.5"><variable identifier="R"/><correct identifier="R"/></equal><setOutcomeValue identifier="SCORE"><baseValue baseType="float">1</baseValue></setOutcomeValue></responseIf></responseCondition></responseProcessing>`), "numeric 7.5±0.5"},
		"number between":  {item21(declared("R", "single", "float", "7.5"), entry, `<responseProcessing><responseCondition><responseIf><and><gte><variable identifier="R"/><baseValue>7</baseValue></gte><lte><variable identifier="R"/><baseValue>9</baseValue></lte></and><setOutcomeValue identifier="SCORE"><baseValue baseType="float">1</baseValue></setOutcomeValue></responseIf></responseCondition></responseProcessing>`), "numeric 8±1"},
		"essay":           {item21("", `<extendedTextInteraction responseIdentifier="R"><prompt>Q</prompt></extendedTextInteraction>`, ""), "essay"},
		"gaps":            {item21(declared("R", "single", "string", "1")+declared("S", "single", "identifier", "y"), gaps, "<responseProcessing>"+whenRight("1", "R")+whenRight("2", "S")+"</responseProcessing>"), `gap partial g1:text[][]["1"] g2:choice[A=X B=Y][B][] x2`},
		"gaps at once":    {item21(declared("R", "single", "string", "1")+declared("S", "single", "identifier", "y"), gaps, "<responseProcessing>"+whenRight("1", "R", "S")+"</responseProcessing>"), `gap all_or_nothing g1:text[][]["1"] g2:choice[A=X B=Y][B][]`},
		"pool":            {item21(declared("R", "multiple", "directedPair", "w G1"), `<gapMatchInteraction responseIdentifier="R"><gapText identifier="w" matchMax="1">W</gapText><gapText identifier="v" matchMax="1">V</gapText><p>a <gap identifier="G1"/></p></gapMatchInteraction>`, "match_correct"), "gap partial pool:A=W pool:B=V g1:pool[][A][]"},
		"match":           {item21(declared("R", "multiple", "directedPair", "p x"), match, "match_correct"), "match all_or_nothing x=X p1=P [[p1 x]]"},
		"match mapped":    {item21(mapped("R", "multiple", "directedPair", "", "p x=1"), match, "map_response"), "match partial x=X p1=P [[p1 x]]"},
		"order":           {item21(declared("R", "ordered", "identifier", "b", "a"), `<orderInteraction responseIdentifier="R"><simpleChoice identifier="a">A</simpleChoice><simpleChoice identifier="b">B</simpleChoice></orderInteraction>`, "match_correct"), "order all_or_nothing a=A b=B b>a"},
		"hottext":         {item21(declared("R", "single", "identifier", "b"), `<hottextInteraction responseIdentifier="R" maxChoices="1"><p><hottext identifier="a">A</hottext> <hottext identifier="b">B</hottext></p></hottextInteraction>`, "match_correct"), "mcq a=A b=B! hottext_as_list"},
		"slider":          {item21(declared("R", "single", "integer", "16"), `<sliderInteraction responseIdentifier="R" lowerBound="0" upperBound="100"><prompt>Q</prompt></sliderInteraction>`, "match_correct"), "numeric 16±0 slider_as_number"},
		"hotspot":         {item21(declared("R", "single", "identifier", "a"), `<hotspotInteraction responseIdentifier="R"><object type="image/png" data="data:image/png;base64,iVBORw0KGgo=" width="200" height="100">map</object><hotspotChoice identifier="a" shape="rect" coords="0,0,100,50"/></hotspotInteraction>`, "match_correct"), "mcq a=a!"},
		"drawing":         {item21("", `<drawingInteraction responseIdentifier="R"/>`, ""), " unsupported_interaction"},
		"a template":      {item21("<templateDeclaration identifier='x'/>", choices, ""), " parameterised"},
		"no body":         {`<assessmentItem identifier="x"/>`, " !incomplete"},
		"no interaction":  {item21("", "<p>Read this.</p>", ""), "passage description_as_passage"},
		"a later version": {strings.Replace(item21("", "<p>x</p>", ""), "v2p1", "v9p9", 1), "unknown_format"},
		"broken":          {"<assessmentItem><itemBody>", "malformed"},
	} {
		var got []string
		input := bytes.NewReader([]byte(c.source))
		f, err := exchange.Find(input)
		if err == nil {
			err = f.Read(input, func(it *bank.Item) error { got = append(got, summary(it)); return nil })
		}
		var problem *bank.Problem
		if errors.As(err, &problem) {
			got = append(got, problem.Code)
		}
		if !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func TestSeveralInteractionsAreAPassageWithAQuestionEach(t *testing.T) {
	t.Parallel()
	second := strings.ReplaceAll(choices, `"R"`, `"S"`)
	items := read(t, []byte(item21(declared("R", "single", "identifier", "a")+declared("S", "single", "identifier", "b"), "<p>Read</p>"+choices+second,
		"<responseProcessing>"+whenRight("1", "R")+whenRight("2", "S")+"</responseProcessing>")))
	var got []string
	for _, it := range items {
		weight := 1.0
		if it.Weight != nil {
			weight = *it.Weight
		}
		got = append(got, fmt.Sprintf("%s<%s x%g %s %s", it.ID, it.Passage, weight, bank.Plain(it.Stem), summary(it)))
	}
	want := []string{"i1< x1 Read passage composite_split", "i1-1<i1 x1 Q mcq a=A! b=B c=C", "i1-2<i1 x2 Q mcq a=A b=B! c=C"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestQTI3HasTheNamesOfQTI2(t *testing.T) {
	t.Parallel()
	source := `<qti-assessment-item xmlns="http://www.imsglobal.org/xsd/imsqtiasi_v3p0" identifier="i3" title="T" time-dependent="false">
<qti-response-declaration identifier="R" cardinality="multiple" base-type="identifier"><qti-correct-response><qti-value>a</qti-value></qti-correct-response></qti-response-declaration>
<qti-item-body><p>Text</p><qti-choice-interaction response-identifier="R" max-choices="2"><qti-prompt>Q</qti-prompt><qti-simple-choice identifier="a">A</qti-simple-choice><qti-simple-choice identifier="b">B</qti-simple-choice><qti-simple-choice identifier="c">C</qti-simple-choice></qti-choice-interaction></qti-item-body>
<qti-response-processing template="https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/match_correct.xml"/></qti-assessment-item>`
	if got := summaries(t, source); !slices.Equal(got, []string{"mrq all_or_nothing a=A! b=B c=C 0..2"}) {
		t.Error(got)
	}
}

// item12 is an item of QTI 1.2 with the type that Canvas names.
func item12(kind, presentation, conditions string) string {
	return `<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2"><item ident="i" title="T"><itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>question_type</fieldlabel><fieldentry>` +
		kind + `</fieldentry></qtimetadatafield></qtimetadata></itemmetadata><presentation><material><mattext texttype="text/html">&lt;p&gt;Q [g]&lt;/p&gt;</mattext></material>` + presentation +
		`</presentation><resprocessing>` + conditions + `</resprocessing></item></questestinterop>`
}

func labels(response, cardinality string, texts ...string) string {
	all := ""
	for _, text := range texts {
		all += `<response_label ident="` + strings.ToLower(text) + `"><material><mattext>` + text + `</mattext></material></response_label>`
	}
	return `<response_lid ident="` + response + `" rcardinality="` + cardinality + `"><material><mattext>M</mattext></material><render_choice>` + all + `</render_choice></response_lid>`
}

func when(points string, tests string) string {
	return `<respcondition><conditionvar>` + tests + `</conditionvar><setvar action="Add" varname="SCORE">` + points + `</setvar></respcondition>`
}

func equal(response, value string) string {
	return `<varequal respident="` + response + `">` + value + `</varequal>`
}

func TestQTI1IsReadAsItsAuthorMeant(t *testing.T) {
	t.Parallel()
	field := `<response_str ident="r"><render_fib/></response_str>`
	for name, c := range map[string]struct{ source, want string }{
		"choice":          {item12("multiple_choice_question", labels("r", "Single", "A", "B"), when("100", equal("r", "b"))), "mcq a=A b=B!"},
		"points vary":     {item12("multiple_choice_question", labels("r", "Single", "A", "B"), when("100", equal("r", "b"))+when("40", equal("r", "a"))), "mcq a=A b=B! partial_answer"},
		"set":             {item12("multiple_answers_question", labels("r", "Multiple", "A", "B", "C"), when("100", "<and>"+equal("r", "a")+equal("r", "b")+"<not>"+equal("r", "c")+"</not></and>")), "mrq all_or_nothing a=A! b=B! c=C"},
		"points for each": {item12("", labels("r", "Multiple", "A", "B", "C"), when("5", equal("r", "a"))+when("5", equal("r", "b"))+when("-5", equal("r", "c"))), "mrq partial a=A! b=B! c=C"},
		"text":            {item12("short_answer_question", field, when("100", equal("r", "x")+equal("r", "X")+equal("r", "y"))), `short_text ["x" "y"]`},
		"case":            {item12("", field, when("100", `<varequal respident="r" case="Yes">x</varequal>`)), `short_text ["x"] case_ignored`},
		"part of text":    {item12("", field, when("100", `<varsubstring respident="r">x</varsubstring>`)), `short_text ["x"] wildcard`},
		"essay":           {item12("essay_question", field, ""), "essay"},
		"essay unnamed":   {item12("", field, ""), "essay"},
		"number":          {item12("numerical_question", field, when("100", "<or>"+equal("r", "5")+`<and><vargte respident="r">4</vargte><varlte respident="r">6</varlte></and></or>`)), "numeric 5±1"},
		"two numbers":     {item12("numerical_question", field, when("100", equal("r", "5"))+when("100", equal("r", "7"))), "numeric 5±0 several_values"},
		"matching":        {item12("matching_question", labels("r", "Single", "A", "B")+labels("s", "Single", "A", "B"), when("50", equal("r", "a"))+when("50", equal("s", "b"))), "match partial a=A b=B p1=M p2=M [[p1 a] [p2 b]]"},
		"dropdowns":       {item12("multiple_dropdowns_question", labels("response_g", "Single", "A", "B"), when("100", equal("response_g", "b"))), "gap partial g1:choice[A=A B=B][B][]"},
		"blanks":          {item12("fill_in_multiple_blanks_question", labels("response_g", "Single", "A", "B"), when("100", equal("response_g", "a"))), `gap partial g1:text[][]["A" "B"]`},
		"ordering":        {item12("", labels("r", "Ordered", "A", "B"), when("1", equal("r", "b")+equal("r", "a"))), "order all_or_nothing a=A b=B b>a"},
		"calculated":      {item12("calculated_question", field, ""), " parameterised"},
		"upload":          {item12("file_upload_question", "", ""), " unsupported_interaction"},
		"text only":       {item12("text_only_question", "", ""), "passage description_as_passage"},
	} {
		if got := summaries(t, c.source); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

// pack makes an archive; a name that ends in @ is a link.
func pack(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		h := &zip.FileHeader{Name: strings.TrimSuffix(files[i], "@"), Method: zip.Deflate}
		if strings.HasSuffix(files[i], "@") {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
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

func TestAnArchiveKeepsWithinItsBounds(t *testing.T) {
	t.Parallel()
	good := item21(declared("R", "single", "identifier", "b"), choices, "match_correct")
	var many []string
	for i := range 5_001 {
		many = append(many, fmt.Sprintf("%d.txt", i), "")
	}
	for name, c := range map[string]struct {
		archive []byte
		want    string
	}{
		"no ZIP":        {[]byte("PK\x03\x04 and no more"), "damaged"},
		"empty":         {pack(t), "no questions"},
		"entries":       {pack(t, many...), "at most 5000"},
		"bomb":          {pack(t, "a.xml", strings.Repeat(" ", 2<<20)), "100 times"},
		"large":         {pack(t, slices.Repeat([]string{"a.xml", strings.Repeat(" ", 1<<20)}, 257)...), "256 MiB"},
		"parent":        {pack(t, "../a.xml", good), "out of the archive"},
		"absolute":      {pack(t, "/a.xml", good), "out of the archive"},
		"drive":         {pack(t, `c:\a.xml`, good), "out of the archive"},
		"link":          {pack(t, "a.xml@", "/etc/passwd"), "link"},
		"nested":        {pack(t, "a.xml", good, "more.zip", "PK"), "is an archive"},
		"entities":      {pack(t, "imsmanifest.xml", `<!DOCTYPE a [<!ENTITY x "y">]><manifest/>`), "imsmanifest.xml, line 1"},
		"nothing to it": {pack(t, "a.txt", "text"), "no questions"},
	} {
		input := bytes.NewReader(c.archive)
		f, err := exchange.Find(input)
		if err == nil {
			err = f.Read(input, func(*bank.Item) error { return nil })
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestABrokenFileOfAnArchiveTakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	good := item21(declared("R", "single", "identifier", "b"), `<p><img src="p/a.png" alt="x"/></p>`+choices, "match_correct")
	items := read(t, pack(t, "imsmanifest.xml", `<manifest xmlns="x"><resources><resource type="imsqti_item_xmlv2p1" href="d/bad.xml"/><resource type="imsqti_item_xmlv2p1" href="d/good.xml"><file href="d/good.xml"/></resource><resource type="imsqti_item_xmlv2p1" href="gone.xml"/><resource type="webcontent" href="d/p/a.png"/></resources></manifest>`,
		"d/bad.xml", "<assessmentItem>\n<p></assessmentItem>", "d/good.xml", good, "d/p/a.png", "\x89PNG\r\n\x1a\n"))
	var got []string
	for _, it := range items {
		one := fmt.Sprintf("%s:%d %s files:%d", it.Path, it.Line, summary(it), len(it.Files))
		for _, p := range it.Problems {
			one += " " + p.Error()
		}
		got = append(got, one)
	}
	want := []string{"d/bad.xml:2  !malformed files:0 d/bad.xml, line 2: the XML is broken: element <p> closed by </assessmentItem>",
		"d/good.xml:1 mcq a=A b=B! c=C files:1", "gone.xml:0  !file_missing files:0 gone.xml: the manifest lists this file, and it is not in the archive"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
