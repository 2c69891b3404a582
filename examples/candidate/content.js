// Content documents as elements of the page; text stays text, whatever it says.
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

const words = nodes => (nodes ?? []).map(({ text, marks: marked = [] }) => marked.reduce((inner, mark) => mark.type === "link"
  ? el("a", { href: mark.href, target: "_blank", rel: "noopener noreferrer" }, inner) : el(marks[mark.type], {}, inner), el("span", { textContent: text })))

const list = (ordered, items) => el(ordered ? "ol" : "ul", {}, ...items.map(i =>
  el("li", {}, ...words(i.children), ...(i.items?.length ? [list(i.ordered, i.items)] : []))))

const kinds = {
  paragraph: b => el("p", {}, ...words(b.children)),
  heading: b => el("p", { className: "heading" }, el("strong", {}, ...words(b.children))),
  list: b => list(b.ordered, b.items),
  table: b => el("table", {}, el("caption", { textContent: b.caption }), ...b.rows.map((row, i) =>
    el("tr", {}, ...row.cells.map(c => el(i < (b.headerRows ?? 0) ? "th" : "td", {}, ...words(c.children)))))),
  image: (b, image) => {
    const picture = el("img", { alt: b.alt })
    image(b.assetId).then(address => { picture.src = address })
    return picture
  },
}

// draw makes the blocks of a document; image gives the address of an asset.
export const draw = (document, image) => (document.blocks ?? []).map(block => Object.assign(kinds[block.type](block, image), spoken(document.locale)))

// isPlain says that a document is nothing but words, and wordsOf gives its words, those of its pictures too.
export const isPlain = document => (document.blocks ?? []).every(b => b.type === "paragraph")
export function wordsOf(document) {
  const shown = el("div", {}, ...draw(document, () => new Promise(() => {})))
  for (const picture of shown.querySelectorAll("img")) picture.replaceWith(picture.alt)
  return shown.textContent.trim()
}
