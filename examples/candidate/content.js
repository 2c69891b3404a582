// Content documents as elements of the page; text stays text, whatever it says.
import { formula } from "./math.js"

export function el(tag, props, ...children) {
  const e = Object.assign(document.createElement(tag), props)
  e.append(...children)
  return e
}

// spoken are the properties of an element whose content is in a language. Screen readers, hyphenation and fonts go by it, and
// where lines begin.
const fromTheRight = new Set(["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"])
export const spoken = locale => locale ? { lang: locale, dir: fromTheRight.has(new Intl.Locale(locale).maximize().script) ? "rtl" : "ltr" } : {}

const marks = { bold: "strong", italic: "em", underline: "u", strike: "s", code: "code", subscript: "sub", superscript: "sup" }

const marked = (mark, inner) => mark.type === "link" ? el("a", { href: mark.href, target: "_blank", rel: "noopener noreferrer" }, inner) : el(marks[mark.type] ?? "span", {}, inner)

// words makes text nodes; gap makes what stands in a gap, of its id and the words before it.
const words = (nodes = [], gap) => nodes.map(({ text, marks: all = [] }, i) => {
  const open = all.find(m => m.type === "gap"), math = all.find(m => m.type === "math")
  return all.filter(m => m !== open && m !== math).reduce((inner, mark) => marked(mark, inner),
    open ? gap(open.ref, nodes.slice(0, i).map(n => n.text).join("").trim()) : math ? formula(text) ?? el("code", { textContent: text }) : el("span", { textContent: text }))
})

const list = (ordered, items, gap) => el(ordered ? "ol" : "ul", {}, ...items.map(i =>
  el("li", {}, ...words(i.children, gap), ...(i.items?.length ? [list(i.ordered, i.items, gap)] : []))))

const kinds = {
  paragraph: (b, image, gap) => el("p", {}, ...words(b.children, gap)),
  heading: (b, image, gap) => el("p", { className: "heading" }, el("strong", {}, ...words(b.children, gap))),
  list: (b, image, gap) => list(b.ordered, b.items, gap),
  table: (b, image, gap) => el("table", {}, el("caption", { textContent: b.caption }), ...b.rows.map((row, i) =>
    el("tr", {}, ...row.cells.map(c => el(i < (b.headerRows ?? 0) ? "th" : "td", {}, ...words(c.children, gap)))))),
  image: (b, image) => {
    const picture = el("img", { alt: b.alt })
    image(b.assetId).then(address => { picture.src = address })
    return picture
  },
}

// draw makes the blocks of a document; image gives the address of an asset, and gap what stands in a gap.
const blank = () => el("span", { textContent: "____" })
export const draw = (document, image, gap = blank) => (document.blocks ?? []).map(block => Object.assign(kinds[block.type](block, image, gap), spoken(document.locale)))

// isPlain says that a document is nothing but words, and wordsOf gives its words, those of its pictures and formulas too.
export const isPlain = document => (document.blocks ?? []).every(b => b.type === "paragraph" && !b.children?.some(c => c.marks?.some(m => m.type === "math")))
export function wordsOf(document) {
  const shown = el("div", {}, ...draw(document, () => new Promise(() => {})))
  for (const picture of shown.querySelectorAll("img")) picture.replaceWith(picture.alt)
  for (const math of shown.querySelectorAll("math")) math.replaceWith(math.getAttribute("alttext"))
  return shown.textContent.trim()
}
