package browser

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// violation is a rule that a page breaks, as axe-core tells it.
type violation struct {
	ID, Help string
	Nodes    []struct{ HTML, FailureSummary string }
}

// axeRun checks WCAG 2.2 up to AA, and the rules that axe-core counts as good practice.
const axeRun = `axe.run(document, {resultTypes: ["violations"], runOnly: {type: "tag",
	values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}})
	.then(r => r.violations.map(v => ({ID: v.id, Help: v.help, Nodes: v.nodes.map(n => ({HTML: n.html, FailureSummary: n.failureSummary}))})))`

// Accessible fails the test for each rule of WCAG 2.2, up to AA, and of good practice that the page
// breaks as far as axe-core can tell.
func (p *Page) Accessible() {
	p.t.Helper()
	script := axe(p.t)
	if !Read[bool](p, "typeof axe === 'object'") {
		Read[bool](p, script+";true")
	}
	for _, v := range Read[[]violation](p, axeRun) {
		var nodes strings.Builder
		for _, n := range v.Nodes {
			nodes.WriteString("\n  " + n.HTML + "\n    " + strings.ReplaceAll(n.FailureSummary, "\n", "\n    "))
		}
		p.t.Errorf("at %s: %s (%s):%s", p.look, v.Help, v.ID, nodes.String())
	}
}

// readAxe finds axe-core in bin, next to go.mod.
var readAxe = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		_, err := os.Stat(filepath.Join(folder, "go.mod"))
		if err == nil {
			break
		}
	}
	return os.ReadFile(filepath.Join(folder, "bin", "axe.min.js"))
})

func axe(t testing.TB) string {
	t.Helper()
	script, err := readAxe()
	if err != nil {
		missing(t, "axe-core is not here ("+err.Error()+")")
	}
	return string(script)
}
