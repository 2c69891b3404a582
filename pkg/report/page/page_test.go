package page

import (
	"bytes"
	unescape "html"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assess/pkg/dev/golden"
	"assess/pkg/kernel/db"
	"assess/pkg/report/reporting"
	"assess/pkg/trust/glassbox"
)

// The files of testdata hold the bodies. Everything before the body is the same on every page
// except for its title: head.html, in which the style sheet is left out.
func TestPages(t *testing.T) {
	t.Parallel()
	for name, p := range samples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			err := Write(&out, p)
			if err != nil {
				t.Fatal(err)
			}
			checkPage(t, out.String())
			head, body, _ := strings.Cut(out.String(), "<body>\n")
			if title := title.FindString(head); unescape.UnescapeString(title) != "<title>"+p.Kind+": "+p.Name+"</title>" {
				t.Errorf("the page is called %s", title)
			}
			if !strings.Contains(head, "<style>"+style+"</style>") {
				t.Error("the page lacks its style sheet")
			}
			bare := strings.Replace(title.ReplaceAllString(head, "<title></title>"), style, "", 1)
			golden.Check(t, []byte(bare), filepath.Join("testdata", "head.html"))
			golden.Check(t, []byte(body), filepath.Join("testdata", name+".html"))
		})
	}
}

var (
	apart = regexp.MustCompile(`(?s)<details class="ids">.*?</details>`)
	uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-`)
)

// Things that have a name are called by it; ids are apart, where they can be copied, and phones show wide rows as cards.
func TestPagesNameThings(t *testing.T) {
	t.Parallel()
	all := samples()
	for _, name := range []string{"summary", "question", "question_multi", "cohorts"} {
		var out bytes.Buffer
		err := Write(&out, all[name])
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(out.String(), "<body>\n")
		if found := uuids.FindString(apart.ReplaceAllString(body, "")); found != "" || !apart.MatchString(body) {
			t.Errorf("%s: an id stands among the words: %s", name, found)
		}
	}
	for name, p := range all {
		var out bytes.Buffer
		err := Write(&out, p)
		if err != nil || out.Len() > heaviest {
			t.Errorf("%s weighs %d bytes (%v)", name, out.Len(), err)
		}
	}
}

// Where there is nothing to count, a sentence says so: no table has zeros alone.
func TestNoTableIsMadeOfZeros(t *testing.T) {
	t.Parallel()
	for name, p := range samples() {
		for _, part := range p.Parts {
			if part.Table == nil || len(part.Table.Rows) == 0 {
				continue
			}
			counts, some := 0, false
			for _, row := range part.Table.Rows {
				for _, c := range row {
					if c.Right && c.Text != none {
						counts++
						some = some || c.Text != "0"
					}
				}
			}
			if counts > 0 && !some {
				t.Errorf("%s: %s has nothing but zeros", name, part.Heading)
			}
		}
	}
}

// A list page is light no matter how long its questions are: long text is cut, with a cue, and is whole on the page of the
// question.
func TestLongQuestionsMakeNoHeavyPage(t *testing.T) {
	t.Parallel()
	list := fullHealth()
	row := list.Items[0]
	row.Stem = strings.Repeat("Which of these is a river? ", 80)
	list.List = db.NewList(slices.Repeat([]reporting.HealthRow{row}, 25), db.Page{Page: 1, Limit: 25}, 25)
	detail := singleQuestion()
	detail.QuestionWords = row.QuestionWords
	attempted := fullAttempt()
	attempted.Items[0].StemText = row.Stem
	attempted.Items = slices.Repeat(attempted.Items[:1], 120)
	for name, p := range map[string]Page{"questions": Health(list, "All questions"), "attempt": Attempt(attempted).Piece(2), "question": Question(detail, "All attempts")} {
		var out bytes.Buffer
		err := Write(&out, p)
		if err != nil || out.Len() > heaviest {
			t.Errorf("%s weighs %d bytes (%v)", name, out.Len(), err)
		}
		if whole := strings.Contains(out.String(), strings.TrimSpace(row.Stem)); whole != (name == "question") || !whole && !strings.Contains(out.String(), " …<") {
			t.Errorf("%s: the whole question is there: %t", name, whole)
		}
	}
}

// The pieces of an attempt's page have each item once, and long answers are cut with a word about where they are whole.
func TestTheItemsOfAnAttemptComeInPieces(t *testing.T) {
	t.Parallel()
	report := fullAttempt()
	report.Items = slices.Repeat(report.Items[:1], 120)
	for i := range report.Items {
		report.Items[i].Position = i
		report.Items[i].DisplayAnswer = strings.Repeat("Because water takes its time. ", 60)
	}
	seen := 0
	for n := 1; n <= 3; n++ {
		p := Attempt(report).Piece(n)
		items := p.Parts[len(p.Parts)-1]
		if items.Table.Rows[0][0].Text != whole(seen+1) || p.Paging != (Paging{n, 50, 120}) || !strings.Contains(items.Note, "cut") {
			t.Errorf("piece %d begins with %s: %+v", n, items.Table.Rows[0][0].Text, p.Paging)
		}
		seen += len(items.Table.Rows)
		var out bytes.Buffer
		if err := Write(&out, p); err != nil || out.Len() > heaviest {
			t.Errorf("piece %d weighs %d bytes (%v)", n, out.Len(), err)
		}
	}
	if last := Attempt(report).Piece(9).Paging.Page; seen != 120 || last != 3 {
		t.Errorf("%d items, and after the last piece comes %d", seen, last)
	}
	if p := Attempt(fullAttempt()).Piece(1); p.Paging != (Paging{}) || strings.Contains(p.Parts[len(p.Parts)-1].Note, "cut") {
		t.Errorf("a short attempt: %+v", p.Paging)
	}
}

// A glass box with long lists shows the newest of each, and says how many there are.
func TestLongListsMakeNoHeavyGlassBox(t *testing.T) {
	t.Parallel()
	b := fullBox()
	for _, all := range []*db.List[glassbox.Case]{&b.Claims, &b.Disputes} {
		all.Items, all.Total = slices.Repeat(all.Items, 200), 200
	}
	b.Evidence.Items, b.Evidence.Total = slices.Repeat(b.Evidence.Items[:1], 200), 200
	b.Verifications, b.VerificationsTotal = slices.Repeat(b.Verifications[:1], 200), 200
	b.Findings.Items, b.Findings.Total = slices.Repeat(b.Findings.Items[:1], 200), 200
	var out bytes.Buffer
	err := Write(&out, GlassBox(b, "bundle"))
	if err != nil || out.Len() > heaviest || strings.Count(out.String(), " of 200.") != 5 {
		t.Errorf("%d bytes, %d lists say how many there are, %v", out.Len(), strings.Count(out.String(), " of 200."), err)
	}
}

var title = regexp.MustCompile(`<title>.*</title>`)

// Anything that would load something from the network, or run something.
var outside = regexp.MustCompile(`(?i)<script|<iframe|<link|<img|<object|<embed|@import|url\(|\s(src|href|action|on\w+|style)=`)

// inside are links to other pages of the same server.
var inside = regexp.MustCompile(`<a href="/api/v1/glassbox/[-/a-z0-9]+">`)

// checkPage checks what every page has to meet.
func checkPage(t *testing.T, html string) {
	t.Helper()
	if found := outside.FindString(inside.ReplaceAllString(html, "")); found != "" {
		t.Errorf("the page has %q", found)
	}
	if !strings.Contains(unescape.UnescapeString(html), policy) {
		t.Error("the page does not state its policy")
	}
	for _, p := range []string{"%!", "NaN", "Inf", "ZgotmplZ", "<nil>", "0x"} {
		if strings.Contains(html, p) {
			t.Errorf("the page says %q", p)
		}
	}
	charts := regexp.MustCompile(`(?s)<svg[^>]*role="img"[^>]*>.*?</svg>`).FindAllString(html, -1)
	for _, c := range charts {
		if !strings.Contains(c, "<title>") || !strings.Contains(c, "<desc>") || strings.Contains(c, `aria-label=""`) {
			t.Errorf("a chart without words: %.80s", c)
		}
	}
	figures := regexp.MustCompile(`(?s)<figure>.*?</section>`).FindAllString(html, -1)
	if len(figures) != len(charts) {
		t.Errorf("%d figures and %d charts", len(figures), len(charts))
	}
}

// Text from users is text and nothing else, in every place of a page.
func TestTextsStayTexts(t *testing.T) {
	t.Parallel()
	const evil = `"><script>alert(1)</script><!--'</style>`
	p := Page{Kind: evil, Name: evil, Lines: []string{evil}, AsOf: evil, Tiles: []Tile{{Label: evil, Value: evil, Note: evil}},
		Notices: []Notice{{Label: evil, Text: evil}}, Parts: []Part{{Heading: evil, Note: evil,
			Columns: &Columns{Title: evil, Axis: evil, Labels: []string{evil}, Values: []int64{1}},
			Table:   &Table{Caption: evil, Header: head(evil), Rows: [][]Cell{{{Text: evil, Note: evil, Label: true}, {Text: evil, Note: evil, Bar: &Bar{Share: 2}}}}}},
			{Heading: evil, Stack: &Stack{Title: evil, Labels: []string{evil}, Values: []int64{3}, Tones: []Tone{Good}}, Table: &Table{Empty: evil}},
			{Heading: evil, Line: &Line{Title: evil, Labels: []string{evil, "b"}, Values: []*float64{nil, new(float64)}}}}}
	var out bytes.Buffer
	err := Write(&out, p)
	if err != nil {
		t.Fatal(err)
	}
	checkPage(t, out.String())
	if n := strings.Count(out.String(), "</style>"); n != 1 {
		t.Errorf("%d ends of the style sheet", n)
	}
}

// Only text from users may have any direction, and all of it may.
func TestWordsOfOthersHaveTheirOwnDirection(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := Write(&out, samples()["attempt"])
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"ليلى الحسن", "ما هي عاصمة ألمانيا؟"} {
		if !regexp.MustCompile(`dir="auto">` + regexp.QuoteMeta(text)).MatchString(out.String()) {
			t.Errorf("%q stands without a direction of its own", text)
		}
	}
}
