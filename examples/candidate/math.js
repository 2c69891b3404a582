// Formulas: the TeX that schools write becomes MathML, which browsers draw and read out. Anything else stays TeX.
const element = (tag, ...children) => {
  const e = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag)
  e.append(...children)
  return e
}

const greek = { alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ϵ", varepsilon: "ε", zeta: "ζ", eta: "η", theta: "θ", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π",
  rho: "ρ", sigma: "σ", tau: "τ", phi: "ϕ", varphi: "φ", chi: "χ", psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Pi: "Π", Sigma: "Σ", Phi: "Φ", Psi: "Ψ", Omega: "Ω",
  infty: "∞", partial: "∂", emptyset: "∅" }
const signs = { sum: "∑", prod: "∏", int: "∫", le: "≤", leq: "≤", ge: "≥", geq: "≥", ne: "≠", neq: "≠", approx: "≈", equiv: "≡", sim: "∼", pm: "±", mp: "∓", times: "×", cdot: "⋅", div: "÷",
  to: "→", rightarrow: "→", leftarrow: "←", Rightarrow: "⇒", Leftrightarrow: "⇔", in: "∈", notin: "∉", subset: "⊂", subseteq: "⊆", cup: "∪", cap: "∩", land: "∧", lor: "∨", neg: "¬",
  forall: "∀", exists: "∃", nabla: "∇", surd: "√", degree: "°", circ: "∘", ldots: "…", dots: "…", cdots: "⋯", langle: "⟨", rangle: "⟩", vert: "|", mid: "|", prime: "′" }
const names = new Set(["sin", "cos", "tan", "cot", "log", "ln", "exp", "lim", "max", "min", "gcd", "det", "arcsin", "arccos", "arctan"])
const spaces = { ",": ".17em", ";": ".28em", ":": ".22em", " ": ".25em", quad: "1em", qquad: "2em" }
const above = { overline: "¯", bar: "¯", vec: "→", hat: "^", dot: "˙" }

// formula gives the MathML of TeX; null of what it does not know.
export function formula(tex) {
  try {
    const math = element("math", ...rowOf(reader(tex)))
    math.setAttribute("alttext", tex)
    return math
  } catch { return null } // formulas nested too deep for the browser end here as well
}

const reader = tex => ({ list: tex.match(/\\[a-zA-Z]+|\\.|\s+|\d+(?:\.\d+)?|./gsu) ?? [], at: 0 })
const unknown = r => { throw new SyntaxError(r.list[r.at - 1]) }
function next(r) {
  while (/^\s/.test(r.list[r.at] ?? "")) r.at++
  return r.list[r.at]
}

// rowOf reads up to a sign, or to the end.
function rowOf(r, end) {
  const all = []
  for (let t = next(r); t !== end; t = next(r)) {
    if (t === undefined) unknown(r)
    all.push(scripted(r))
  }
  r.at++
  return all
}

function scripted(r) {
  const base = atom(r)
  let sub, sup
  for (let t = next(r); t === "^" || t === "_"; t = next(r)) {
    if (t === "^" ? sup : sub) unknown(r)
    r.at++
    if (t === "^") sup = argument(r)
    else sub = argument(r)
  }
  return sub && sup ? element("msubsup", base, sub, sup) : sub ? element("msub", base, sub) : sup ? element("msup", base, sup) : base
}

function argument(r) {
  if (next(r) === undefined) unknown(r)
  return atom(r)
}

// words reads the text in braces as it is.
function words(r) {
  if (next(r) !== "{") unknown(r)
  const end = r.list.indexOf("}", r.at)
  if (end < 0 || r.list.slice(r.at + 1, end).some(t => t === "{" || t.startsWith("\\"))) unknown(r)
  const text = r.list.slice(r.at + 1, end).join("")
  r.at = end + 1
  return text
}

function atom(r) {
  const t = r.list[r.at++]
  if (t === "{") return element("mrow", ...rowOf(r, "}"))
  if (/^\d/.test(t)) return element("mn", t)
  if (/^\p{L}/u.test(t)) return element("mi", t)
  if (t === "-") return element("mo", "−")
  if (/^[+=<>/()[\]|!,.:;'*?]$/.test(t)) return element("mo", t)
  if (/^[^\\\x00-\x7f]$/u.test(t)) return element("mo", t)
  return t.startsWith("\\") ? command(r, t.slice(1)) : unknown(r)
}

function command(r, name) {
  if (name in greek) return element("mi", greek[name])
  if (name in signs) return element("mo", signs[name])
  if (names.has(name)) return element("mi", name)
  if (name in spaces) {
    const space = element("mspace")
    space.setAttribute("width", spaces[name])
    return space
  }
  if (/^[{}%#_&$]$/.test(name)) return element("mo", name)
  if (name in above) return element("mover", argument(r), element("mo", above[name]))
  switch (name) {
    case "frac": case "dfrac": case "tfrac": return element("mfrac", argument(r), argument(r))
    case "sqrt": {
      if (next(r) !== "[") return element("msqrt", argument(r))
      r.at++
      const index = element("mrow", ...rowOf(r, "]"))
      return element("mroot", argument(r), index)
    }
    case "text": case "mathrm": case "operatorname": return element(name === "text" ? "mtext" : "mi", words(r))
    case "overset": case "underset": {
      const mark = argument(r)
      return element(name === "overset" ? "mover" : "munder", argument(r), mark)
    }
    case "left": case "right": {
      const sign = next(r)
      if (sign === ".") { r.at++; return element("mrow") }
      return argument(r)
    }
  }
  return unknown(r)
}
