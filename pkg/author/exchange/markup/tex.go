package markup

import (
	"errors"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The commands of TeX that are drawn are the same as on the candidate's page (examples/candidate/math.js).
var greek = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "kappa": "κ",
	"lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ",
	"omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "infty": "∞",
	"partial": "∂", "emptyset": "∅",
}

var signs = map[string]string{
	"sum": "∑", "prod": "∏", "int": "∫", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "equiv": "≡", "sim": "∼",
	"pm": "±", "mp": "∓", "times": "×", "cdot": "⋅", "div": "÷", "to": "→", "rightarrow": "→", "leftarrow": "←", "Rightarrow": "⇒",
	"Leftrightarrow": "⇔", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "cup": "∪", "cap": "∩", "land": "∧", "lor": "∨", "neg": "¬",
	"forall": "∀", "exists": "∃", "nabla": "∇", "surd": "√", "degree": "°", "circ": "∘", "ldots": "…", "dots": "…", "cdots": "⋯", "langle": "⟨",
	"rangle": "⟩", "vert": "|", "mid": "|", "prime": "′",
}

var operators = []string{"sin", "cos", "tan", "cot", "log", "ln", "exp", "lim", "max", "min", "gcd", "det", "arcsin", "arccos", "arctan"}

var spaces = map[string]string{",": ".17em", ";": ".28em", ":": ".22em", " ": ".25em", "quad": "1em", "qquad": "2em"}

var above = map[string]string{"overline": "¯", "bar": "¯", "vec": "→", "hat": "^", "dot": "˙"}

// presentation gives the presentation MathML of TeX, without the element math around it; false for TeX that is not known.
func presentation(tex string) (string, bool) {
	r := &texReader{list: texTokens.FindAllString(tex, -1)}
	row := r.row("")
	return row, r.err == nil
}

var (
	texTokens = regexp.MustCompile(`(?s)\\[a-zA-Z]+|\\.|\s+|\d+(?:\.\d+)?|.`)
	texSigns  = "+=<>/()[]|!,.:;'*?"
	errTeX    = errors.New("this TeX is not known")
)

// texReader reads TeX into MathML. After err it gives nothing that can be used.
type texReader struct {
	list  []string
	at    int
	depth int
	err   error
}

func (r *texReader) fail() string {
	r.err, r.at = errTeX, len(r.list)
	return ""
}

// next gives the next token behind white space; empty at the end.
func (r *texReader) next() string {
	for r.at < len(r.list) && strings.TrimSpace(r.list[r.at]) == "" {
		r.at++
	}
	if r.at == len(r.list) {
		return ""
	}
	return r.list[r.at]
}

// row reads up to a sign, or to the end.
func (r *texReader) row(end string) string {
	var b strings.Builder
	if r.depth++; r.depth > MaxDepth {
		return r.fail()
	}
	for t := r.next(); t != end; t = r.next() {
		if t == "" {
			return r.fail()
		}
		b.WriteString(r.scripted())
	}
	r.at++
	r.depth--
	return "<mrow>" + b.String() + "</mrow>"
}

func (r *texReader) scripted() string {
	base := r.atom()
	scripts := map[string]string{}
	for t := r.next(); t == "^" || t == "_"; t = r.next() {
		if scripts[t] != "" {
			return r.fail()
		}
		r.at++
		scripts[t] = r.argument()
	}
	switch sub, sup := scripts["_"], scripts["^"]; {
	case sub != "" && sup != "":
		return of("msubsup", base, sub, sup)
	case sub != "":
		return of("msub", base, sub)
	case sup != "":
		return of("msup", base, sup)
	}
	return base
}

func of(tag string, children ...string) string {
	return "<" + tag + ">" + strings.Join(children, "") + "</" + tag + ">"
}

func token(tag, text string) string { return of(tag, html.EscapeString(text)) }

func (r *texReader) argument() string {
	if r.next() == "" {
		return r.fail()
	}
	if r.depth++; r.depth > MaxDepth {
		return r.fail()
	}
	one := r.atom()
	r.depth--
	return one
}

// words reads the text in braces as it is.
func (r *texReader) words() string {
	if r.next() != "{" {
		return r.fail()
	}
	length := slices.Index(r.list[r.at:], "}")
	if length < 0 || slices.ContainsFunc(r.list[r.at+1:r.at+max(length, 1)], func(t string) bool { return t == "{" || t[0] == '\\' }) {
		return r.fail()
	}
	text := strings.Join(r.list[r.at+1:r.at+length], "")
	r.at += length + 1
	return text
}

func (r *texReader) atom() string {
	t := r.list[r.at]
	r.at++
	first, size := utf8.DecodeRuneInString(t)
	switch {
	case t == "{":
		return r.row("}")
	case first >= '0' && first <= '9':
		return token("mn", t)
	case unicode.IsLetter(first):
		return token("mi", t)
	case t == "-":
		return token("mo", "−")
	case strings.Contains(texSigns, t), first > 0x7f && size == len(t):
		return token("mo", t)
	case first == '\\' && len(t) > 1:
		return r.command(t[1:])
	}
	return r.fail()
}

func (r *texReader) command(name string) string {
	switch {
	case greek[name] != "":
		return token("mi", greek[name])
	case signs[name] != "":
		return token("mo", signs[name])
	case slices.Contains(operators, name):
		return token("mi", name)
	case spaces[name] != "":
		return `<mspace width="` + spaces[name] + `"/>`
	case strings.Contains("{}%#_&$", name):
		return token("mo", name)
	case above[name] != "":
		return of("mover", r.argument(), token("mo", above[name]))
	}
	switch name {
	case "frac", "dfrac", "tfrac":
		return of("mfrac", r.argument(), r.argument())
	case "sqrt":
		if r.next() != "[" {
			return of("msqrt", r.argument())
		}
		r.at++
		index := r.row("]")
		return of("mroot", r.argument(), index)
	case "text":
		return token("mtext", r.words())
	case "mathrm", "operatorname":
		return token("mi", r.words())
	case "overset", "underset":
		mark := r.argument()
		return of(map[string]string{"overset": "mover", "underset": "munder"}[name], r.argument(), mark)
	case "left", "right":
		if r.next() == "." {
			r.at++
			return "<mrow></mrow>"
		}
		return r.argument()
	}
	return r.fail()
}
