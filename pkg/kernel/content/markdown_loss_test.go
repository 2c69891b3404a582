package content

import (
	"bytes"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
)

func TestEachLossHasItsLineAndKind(t *testing.T) {
	t.Parallel()
	for src, want := range map[string][]Loss{
		"a\n\n> b\n> c":                               {{3, LostQuote}},
		"a\n\nsee ![leaf](a.png) and ![](b.png)":      {{3, LostImage}},
		"a\n\n---\n\nb\n\n***\n":                      {{3, LostRule}, {7, LostRule}},
		"> ---\n\n- - -\n":                            {{1, LostQuote}, {1, LostRule}, {3, LostRule}},
		"a\n\n```go\nx\n```\n\n```\n```":              {{3, LostCode}, {7, LostCode}},
		"[a](http://x.org \"T\")":                     {{1, LostTitle}},
		"a\n[b](/c) [d](javascript:e) [](http://x.y)": {{2, LostLink}},
		"a\n\n[b]: /c \"T\"\n":                        {{3, LostReference}},
		"[b]\n\n[b]: http://x.org\n":                  nil,
		"1. a\n2. b\n\nc\n\n3. d\n":                   {{6, LostListStart}},
		"- a\n\n  # b\n- c\n\n  0. d\n":               {{3, LostItemBlock}, {6, LostListStart}},
		"- a\n  - b\n  1. c\n":                        {{3, LostListOfItem}},
		"|a|b|\n|-|:-:|\n|1|2|\n":                     {{1, LostAlignment}},
		"|a|\n|-|\n|1|2|\n|3|\n|4||\n":                {{3, LostCells}},
		strings.Repeat("[", 20_001):                   {{1, LostMarkup}},
		"# a\n\n**b** *c* ~~d~~ `e` <i>f</i> [g](http://h.i) <mailto:j@k.l>\n\n- m\n  1. n\n\n|o|\n|-|\n|p|\n\n    q\n": nil,
	} {
		_, got := ReadMarkdown("en", src)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.60q (-want +got):\n%s", src, diff)
		}
		for _, loss := range got {
			if loss.String() == "" {
				t.Errorf("%s says nothing", loss.Kind)
			}
		}
	}
}

// signs find the things in HTML that a document does not keep.
var signs = map[LossKind]*regexp.Regexp{
	LostQuote: regexp.MustCompile(`<blockquote`), LostImage: regexp.MustCompile(`<img`), LostRule: regexp.MustCompile(`<hr`),
	LostCode: regexp.MustCompile(`<code class=|<pre><code></code>`), LostTitle: regexp.MustCompile(`<a [^>]*title=`), LostListStart: regexp.MustCompile(`<ol start=`),
	LostLink: regexp.MustCompile(`<a href="(|[^"]*)"`), LostItemBlock: regexp.MustCompile(`<li>\s*<h[1-6]`),
}

// Everything that the examples of CommonMark show is in the document, or a loss says that it is not. They
// come with goldmark.
func TestNothingOfCommonMarkIsLostInSilence(t *testing.T) {
	t.Parallel()
	folder, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "_test", "spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct{ Markdown string }
	if err := json.Unmarshal(file, &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) < 600 {
		t.Fatalf("%d examples", len(examples))
	}
	tags := regexp.MustCompile(`<!--.*?-->|<[^>]*>`)
	for _, e := range examples {
		var page bytes.Buffer
		if err := goldmark.New().Convert([]byte(e.Markdown), &page); err != nil {
			t.Fatal(err)
		}
		document, losses := ReadMarkdown("en", e.Markdown)
		kinds := map[LossKind]bool{}
		for _, loss := range losses {
			kinds[loss.Kind] = true
			if loss.Line < 1 || loss.Line > 1+strings.Count(e.Markdown, "\n") {
				t.Errorf("%q: %s on line %d", e.Markdown, loss.Kind, loss.Line)
			}
		}
		for kind, sign := range signs {
			found := sign.FindStringSubmatch(page.String())
			if found == nil || kind == LostLink && safeLink(html.UnescapeString(found[1])) {
				continue
			}
			if !kinds[kind] {
				t.Errorf("%q: no word of %s; losses %v", e.Markdown, kind, losses)
			}
		}
		said := strings.Fields(document.Locales["en"].PlainText())
		for _, word := range strings.Fields(html.UnescapeString(tags.ReplaceAllString(page.String(), " "))) {
			if len(losses) == 0 && !slices.ContainsFunc(said, func(other string) bool { return strings.Contains(other, word) }) {
				t.Errorf("%q: %q is lost", e.Markdown, word)
			}
		}
	}
}
