package markup

import (
	"iter"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// part is a run of text, or a formula in TeX.
type part struct {
	text string
	math bool
}

// delimiters are the marks around TeX.
var delimiters = []struct{ open, close string }{{`\(`, `\)`}, {`\[`, `\]`}, {"$$", "$$"}}

// maxFormulas limits how many formulas are searched for in one text: each search goes through the rest of it.
const maxFormulas = 1_000

// formulas splits text into words and formulas.
func formulas(s string) iter.Seq[part] {
	return func(yield func(part) bool) {
		for n := 0; s != ""; n++ {
			at, end, d := nextFormula(s)
			if at < 0 || n == maxFormulas {
				yield(part{text: s})
				return
			}
			if at > 0 && !yield(part{text: s[:at]}) {
				return
			}
			tex := strings.TrimSpace(s[at+len(d) : end])
			if !yield(part{tex, true}) {
				return
			}
			s = s[end+len(d):]
		}
	}
}

// nextFormula gives the place of the first formula and of its end, and its opening delimiter.
func nextFormula(s string) (at, end int, open string) {
	at = -1
	for _, d := range delimiters {
		from := strings.Index(s, d.open)
		if from < 0 || at >= 0 && from >= at {
			continue
		}
		length := strings.Index(s[from+len(d.open):], d.close)
		if length < 0 || strings.TrimSpace(s[from+len(d.open):][:length]) == "" {
			continue
		}
		at, end, open = from, from+len(d.open)+length, d.open
	}
	return at, end, open
}

// TeX gives a formula of MathML as TeX, its annotation in TeX if it has one. If an element is not known it gives
// the plain text and false.
func TeX(math *html.Node) (string, bool) {
	for n := range All(math, "annotation") {
		if strings.Contains(Attr(n, "encoding"), "tex") || strings.Contains(Attr(n, "encoding"), "TeX") {
			return Text(n), true
		}
	}
	w := texWriter{known: true}
	w.row(math)
	if !w.known {
		return strings.Join(strings.Fields(RawText(math)), " "), false
	}
	return lone.ReplaceAllString(strings.TrimSpace(w.String()), "$1$2"), true
}

// lone is a sign in braces that does not need them.
var lone = regexp.MustCompile(`\{(\w)\}([\^_])`)

// texWriter writes presentation MathML (MathML 3, chapter 3) as TeX.
type texWriter struct {
	strings.Builder
	known bool
}

func (w *texWriter) row(n *html.Node) {
	for c := range Children(n, "") {
		w.element(c)
	}
}

// shapes says how TeX writes an element: $1 to $3 are its children.
var shapes = map[string]string{
	"mfrac": `\frac{$1}{$2}`, "msup": "{$1}^{$2}", "msub": "{$1}_{$2}", "msubsup": "{$1}_{$2}^{$3}", "mroot": `\sqrt[$2]{$1}`,
	"mover": `\overset{$2}{$1}`, "munder": `\underset{$2}{$1}`, "munderover": "{$1}_{$2}^{$3}",
}

func (w *texWriter) element(n *html.Node) {
	switch n.Data {
	case "mrow", "mstyle", "mpadded", "semantics", "math":
		w.row(n)
	case "mi", "mn", "mo", "mtext", "ms":
		w.token(n)
	case "mspace":
		w.WriteString(" ")
	case "msqrt":
		w.WriteString(`\sqrt{`)
		w.row(n)
		w.WriteString("}")
	case "mfenced":
		w.fenced(n)
	default:
		w.shape(n)
	}
}

func (w *texWriter) shape(n *html.Node) {
	shape, known := shapes[n.Data]
	var pairs []string
	i := 0
	for c := range Children(n, "") {
		i++
		one := texWriter{known: true}
		one.element(c)
		known = known && one.known
		pairs = append(pairs, "$"+string(rune('0'+min(i, 9))), strings.TrimSpace(one.String()))
	}
	if !known || i != strings.Count(shape, "$") {
		w.known = false
		return
	}
	w.WriteString(strings.NewReplacer(pairs...).Replace(shape))
}

func (w *texWriter) fenced(n *html.Node) {
	open, closing := Attr(n, "open"), Attr(n, "close")
	if open == "" {
		open = "("
	}
	if closing == "" {
		closing = ")"
	}
	w.WriteString(open)
	i := 0
	for c := range Children(n, "") {
		if i > 0 {
			w.WriteString(",")
		}
		w.element(c)
		i++
	}
	w.WriteString(closing)
}

// symbols are characters that TeX has a name for.
var symbols = map[string]string{
	"α": `\alpha`, "β": `\beta`, "γ": `\gamma`, "δ": `\delta`, "ε": `\varepsilon`, "θ": `\theta`, "λ": `\lambda`, "μ": `\mu`, "π": `\pi`, "ρ": `\rho`,
	"σ": `\sigma`, "τ": `\tau`, "φ": `\varphi`, "ω": `\omega`, "Δ": `\Delta`, "Σ": `\Sigma`, "Ω": `\Omega`, "∑": `\sum`, "∏": `\prod`, "∫": `\int`,
	"√": `\surd`, "∞": `\infty`, "≤": `\le`, "≥": `\ge`, "≠": `\ne`, "≈": `\approx`, "±": `\pm`, "×": `\times`, "⋅": `\cdot`, "·": `\cdot`, "÷": `\div`,
	"→": `\to`, "⇒": `\Rightarrow`, "∈": `\in`, "∂": `\partial`, "−": "-", "\u2061": "", "\u2062": "", "\u2063": "", "%": `\%`, "#": `\#`, "{": `\{`, "}": `\}`, "_": `\_`, "&": `\&`,
}

func (w *texWriter) token(n *html.Node) {
	text := strings.Join(strings.Fields(RawText(n)), " ")
	named, known := symbols[text]
	switch {
	case known && strings.HasPrefix(named, `\`):
		w.WriteString(named + " ")
	case known:
		w.WriteString(named)
	case n.Data == "mtext", n.Data == "ms":
		w.WriteString(`\text{` + text + "}")
	case n.Data == "mi" && len([]rune(text)) > 1:
		w.WriteString(`\operatorname{` + text + "}")
	default:
		w.WriteString(text)
	}
}
