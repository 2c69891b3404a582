// The types of questions: what each is answered in, and how an answer reads afterwards.
import { draw, el, isPlain, spoken, wordsOf } from "./content.js"
import { t } from "./words.js"

// A control takes an item with what was answered so far, and tells of every change: answer(response), null when it was
// cleared. doubt says that something is typed which is no answer yet, and why, if it cannot become one.
const choice = type => (item, given, { answer, image }) => {
  const chosen = box => [...box.closest("fieldset").querySelectorAll("input:checked")].map(i => i.value)
  const lines = item.options.map(o => el("label", { className: "option" }, el("input", { type, name: "option", value: o.id,
    checked: given?.optionIds.includes(o.id) ?? false,
    onchange: e => answer(chosen(e.target).length ? { optionIds: chosen(e.target) } : null) }), el("div", {}, ...draw(o.content, image))))
  const picture = pictureOf(item)
  return picture ? onPicture(item, picture, lines, image) : lines
}

// pictureOf gives the picture of whose parts the options speak: the first of the question.
const pictureOf = item => item.options?.some(o => o.area) && item.stem.blocks?.find(b => b.type === "image")

// onPicture draws the picture with the parts of the options, above the list of them. The list is complete without it: for keyboards and
// screen readers it is the control, and a click on a part is a click on its line.
function onPicture(item, picture, lines, image) {
  const svg = (tag, attributes) => { const e = document.createElementNS("http://www.w3.org/2000/svg", tag); for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value); return e }
  const board = svg("svg", { "aria-hidden": "true", viewBox: "0 0 1000 1000", preserveAspectRatio: "none" })
  const shown = el("img", { alt: picture.alt, onload: () => place(1000 * shown.naturalHeight / shown.naturalWidth) })
  const boxes = lines.map(line => line.querySelector("input")), parts = item.options.map((o, i) => {
    const part = svg({ rect: "rect", circle: "circle", poly: "polygon" }[o.area?.shape] ?? "g", { class: "part" })
    part.onclick = () => boxes[i].click()
    lines[i].onpointerenter = () => part.classList.add("near")
    lines[i].onpointerleave = () => part.classList.remove("near")
    boxes[i].onfocus = lines[i].onpointerenter
    boxes[i].onblur = lines[i].onpointerleave
    return part
  })
  function place(height) { // the numbers are thousandths of the width and of the height; a radius is one of the width
    board.setAttribute("viewBox", `0 0 1000 ${height}`)
    const down = y => y * height / 1000
    item.options.forEach(({ area }, i) => {
      const c = area?.coords ?? [], set = attributes => { for (const [name, value] of Object.entries(attributes)) parts[i].setAttribute(name, value) }
      if (area?.shape === "rect") set({ x: c[0], y: down(c[1]), width: c[2] - c[0], height: down(c[3] - c[1]) })
      if (area?.shape === "circle") set({ cx: c[0], cy: down(c[1]), r: c[2] })
      if (area?.shape === "poly") set({ points: c.map((n, at) => at % 2 ? down(n) : n).join(" ") })
    })
  }
  const mark = () => parts.forEach((part, i) => part.classList.toggle("chosen", boxes[i].checked))
  place(1000)
  board.append(...parts)
  image(picture.assetId).then(address => { shown.src = address })
  const all = el("div", { onchange: mark }, el("div", { className: "picture" }, shown, board), ...lines)
  mark()
  return [all]
}
const writing = (tag, props) => (item, given, { answer }) => [el(tag, { ...props, ...spoken(item.stem.locale), dir: "auto", ariaLabel: t("Your answer"),
  value: given?.text ?? "", oninput: e => answer(e.target.value === "" ? null : { text: e.target.value }) })]

function number(item, given, { answer, doubt }) {
  let typing = 0
  // It waits until a number is typed to its end: 1 and 1, are on the way to 1,5. What is no number changes nothing.
  function measure(input) {
    clearTimeout(typing)
    const read = readNumber(input.value)
    input.ariaInvalid = Number.isNaN(read)
    if (Number.isNaN(read)) doubt(t("This is no number."))
    else answer(read === null ? null : { number: read })
  }
  return [el("input", { type: "text", inputMode: "decimal", autocomplete: "off", ariaLabel: t("Your answer, a number"), value: given?.number ?? "",
    oninput: e => { doubt(""); clearTimeout(typing); typing = setTimeout(() => measure(e.target), 700) }, onchange: e => measure(e.target) })]
}

// readNumber reads what people type: with a point or one comma, and with either minus. It gives null for nothing, and
// NaN for what is no number or could be two: 1,500.
function readNumber(text) {
  const typed = text.trim().replaceAll("\u2212", "-")
  if (typed === "") return null
  return /^[-+]?(\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?$/i.test(typed) && !/^[-+]?\d{1,3},\d{3}$/.test(typed) ? Number(typed.replace(",", ".")) : NaN
}

// ordering lists the options, each with buttons that move it. The neighbour is what moves in the page, so that the focus stays on the
// button. The order as it is shown is an answer once somebody says so.
function ordering(item, given, { answer, image }) {
  const list = el("ol", { className: "ordering" }), said = el("p", { className: "soft", role: "status" })
  const keep = el("button", { type: "button", className: "plain keep", textContent: t("Keep this order"), onclick: () => keep.ariaDisabled || take(t("This order is your answer.")) })
  const ids = () => [...list.children].map(line => line.dataset.id)
  function take(words) {
    settled()
    said.textContent = words
    answer({ optionIds: ids() })
    edges()
  }
  function move(line, up) {
    const other = up ? line.previousElementSibling : line.nextElementSibling
    if (!other) return
    up ? line.after(other) : line.before(other)
    take(t("{option}: place {n} of {all}.", { option: line.dataset.words, n: ids().indexOf(line.dataset.id) + 1, all: ids().length }))
  }
  const settled = () => { keep.ariaDisabled = true; keep.textContent = t("This is your order") }
  const edges = () => [...list.children].forEach((line, i, all) => {
    const [up, down] = line.querySelectorAll("button")
    up.ariaDisabled = i === 0
    down.ariaDisabled = i === all.length - 1
  })
  const shown = given ? given.optionIds.map(id => item.options.find(o => o.id === id)) : item.options
  list.append(...shown.map(o => {
    const text = el("div", {}, ...draw(o.content, image)), line = el("li", {})
    line.dataset.id = o.id
    line.dataset.words = wordsOf(o.content)
    const way = (sign, word, up) => el("button", { type: "button", className: "plain", textContent: sign, ariaLabel: `${word}: ${line.dataset.words}`, onclick: () => move(line, up) })
    line.append(text, way("↑", t("Up"), true), way("↓", t("Down"), false))
    return line
  }))
  edges()
  if (given) settled()
  said.textContent = given ? "" : t("You have no answer yet: move an option, or keep this order.")
  return [list, said, keep]
}

// matching asks for each prompt which option belongs to it: in a select, in a grid, or in a list of boxes where a select cannot show
// the options or one is not enough.
function matching(item, given, { answer, image }) {
  const chosen = new Map(item.prompts.map(p => [p.id, (given?.pairs ?? []).filter(pair => pair[0] === p.id).map(pair => pair[1])]))
  const several = (item.maxPerPrompt ?? 1) > 1, limits = []
  const used = id => [...chosen.values()].filter(ids => ids.includes(id)).length
  const usedUp = (p, o) => !chosen.get(p.id).includes(o.id) && (item.maxPerOption && used(o.id) >= item.maxPerOption || several && chosen.get(p.id).length >= item.maxPerPrompt)
  const limit = () => { for (const [one, p, o] of limits) one.disabled = usedUp(p, o) }
  function choose(p, ids) {
    chosen.set(p.id, ids)
    limit()
    const pairs = [...chosen].flatMap(([prompt, options]) => options.map(o => [prompt, o]))
    answer(pairs.length ? { pairs } : null)
  }
  const limited = (one, p, o) => { limits.push([one, p, o]); return one }
  const box = (p, o, props = {}) => limited(el("input", { type: several ? "checkbox" : "radio", name: `match ${p.id}`, value: o.id, checked: chosen.get(p.id).includes(o.id), ...props,
    onchange: e => choose(p, !several ? [o.id] : e.target.checked ? [...chosen.get(p.id), o.id] : chosen.get(p.id).filter(id => id !== o.id)) }), p, o)
  const words = one => wordsOf(one.content)
  const select = p => el("label", { className: "prompt" }, el("div", {}, ...draw(p.content, image)), el("select", { onchange: e => choose(p, e.target.value ? [e.target.value] : []) },
    el("option", { value: "", textContent: "–" }), ...item.options.map(o => limited(el("option", { value: o.id, textContent: words(o), selected: chosen.get(p.id).includes(o.id), ...spoken(o.content.locale) }), p, o))))
  const boxes = p => el("fieldset", { className: "prompt" }, el("legend", {}, ...draw(p.content, image)), ...item.options.map(o => el("label", { className: "option" }, box(p, o), el("div", {}, ...draw(o.content, image)))))
  const grid = () => [el("div", { className: "wide", tabIndex: 0, role: "group", ariaLabel: t("Your answer") }, el("table", {}, el("thead", {}, el("tr", {}, el("td"), ...item.options.map(o => el("th", { scope: "col" }, ...draw(o.content, image))))),
    el("tbody", {}, ...item.prompts.map(p => el("tr", {}, el("th", { scope: "row" }, ...draw(p.content, image)), ...item.options.map(o => el("td", {}, el("label", {}, box(p, o, { ariaLabel: `${words(p)}: ${words(o)}` }), el("div", {}, ...draw(o.content, image))))))))))]
  const lines = item.layout === "grid" ? grid() : item.prompts.map(!several && item.options.every(o => isPlain(o.content)) ? select : boxes)
  limit()
  return several ? [el("p", { className: "soft", textContent: t("Choose at most {most} for each.", { most: item.maxPerPrompt }) }), ...lines] : lines
}

// filling puts a field into each gap of the question: a box to type in, or a list to choose from.
function filling(item, given, { answer, doubt, image }) {
  const filled = new Map(Object.entries(given?.gaps ?? {})), unread = new Set(), pools = []
  const used = (gap, id) => !item.reuse && item.gaps.some(g => g.kind === "pool" && g !== gap && filled.get(g.id) === id)
  const limit = () => { for (const [gap, select] of pools) for (const o of select.options) o.disabled = used(gap, o.value) }
  function fill(gap, text) {
    text === "" ? filled.delete(gap.id) : filled.set(gap.id, text)
    limit()
    answer(filled.size ? { gaps: Object.fromEntries(filled) } : null)
    if (unread.size) doubt(t("This is no number."))
  }
  function measure(gap, input) { // a number alone replaces the one before
    const read = readNumber(input.value)
    input.ariaInvalid = Number.isNaN(read)
    if (Number.isNaN(read)) {
      unread.add(gap.id)
      return doubt(t("This is no number."))
    }
    unread.delete(gap.id)
    fill(gap, read === null ? "" : String(read))
  }
  function select(gap, name) {
    const one = el("select", { ariaLabel: name, onchange: e => fill(gap, e.target.value) }, el("option", { value: "", textContent: "–" }),
      ...(gap.kind === "pool" ? item.pool : gap.options).map(o => el("option", { value: o.id, textContent: wordsOf(o.content), selected: filled.get(gap.id) === o.id, ...spoken(o.content.locale) })))
    if (gap.kind === "pool") pools.push([gap, one])
    return one
  }
  function box(gap, name) {
    let typing = 0
    const later = input => { doubt(""); clearTimeout(typing); typing = setTimeout(() => measure(gap, input), 700) }
    const now = input => { clearTimeout(typing); measure(gap, input) }
    const props = gap.kind === "number" ? { inputMode: "decimal", oninput: e => later(e.target), onchange: e => now(e.target) } :
      { maxLength: 1000, dir: "auto", oninput: e => fill(gap, e.target.value.trim() === "" ? "" : e.target.value) }
    return el("input", { type: "text", autocomplete: "off", ariaLabel: name, value: filled.get(gap.id) ?? "", ...props })
  }
  function field(id, before) {
    const n = item.gaps.findIndex(g => g.id === id), name = t("Gap {n} of {all}", { n: n + 1, all: item.gaps.length }) + (before && `: ${before.slice(-60)}`)
    return el("span", { className: "gap" }, (item.gaps[n].kind === "pool" || item.gaps[n].kind === "choice" ? select : box)(item.gaps[n], name))
  }
  const text = el("div", {}, ...draw(item.stem, image, field))
  limit()
  return [text]
}

// inGaps shows the question with words in its gaps: said gives those of a gap.
const inGaps = (item, said, image) => draw(item.stem, image, id => el("strong", { textContent: said(id) || "____" }))
function wordsIn(item, id, text) {
  const gap = item.gaps.find(g => g.id === id), option = (gap.kind === "pool" ? item.pool : gap.options)?.find(o => o.id === text)
  return option ? wordsOf(option.content) : text ?? ""
}

const pairsOf = (item, pairs, image) => [el("ul", {}, ...item.prompts.filter(p => pairs.some(pair => pair[0] === p.id)).map(p => el("li", {}, ...draw(p.content, image),
  ...optionsOf(item, pairs.filter(pair => pair[0] === p.id).map(pair => pair[1]), image))))]

const optionsOf = (item, ids, image) => [el("ul", {}, ...item.options.filter(o => ids.includes(o.id)).map(o => el("li", {}, ...draw(o.content, image))))]
const inOrder = (item, ids, image) => [el("ol", {}, ...ids.map(id => item.options.find(o => o.id === id)).filter(Boolean).map(o => el("li", {}, ...draw(o.content, image))))]
const textOf = (item, given) => [el("p", { className: "given", textContent: given.text, ...spoken(item.stem.locale), dir: "auto" })]

const types = {
  mcq: { control: choice("radio"), read: (item, given, image) => optionsOf(item, given.optionIds, image) },
  mrq: { control: choice("checkbox"), read: (item, given, image) => optionsOf(item, given.optionIds, image) },
  order: { control: ordering, read: (item, given, image) => inOrder(item, given.optionIds, image), right: inOrder },
  match: { control: matching, read: (item, given, image) => pairsOf(item, given.pairs, image) },
  gap: { control: filling, within: true, read: (item, given, image) => inGaps(item, id => wordsIn(item, id, given.gaps[id]), image) },
  numeric: { control: number, read: (item, given) => [el("p", { className: "given", textContent: String(given.number) })] },
  short_text: { control: writing("input", { type: "text", autocomplete: "off" }), read: textOf },
  essay: { control: writing("textarea", { rows: 12 }), read: textOf },
}

// A type that came after this page keeps nobody from the other questions.
const unheardOf = { control: () => [el("p", { className: "notice", textContent: t("This page cannot show questions of this type. Tell whoever invited you, and go on with the others.") })],
  read: () => [el("p", { className: "soft", textContent: t("This page cannot show this answer.") })] }
const typeOf = item => types[item.qtype] ?? unheardOf

// asking draws what a question asks, above its control; where the control is within the text, what to do there.
export const asking = (item, image) => typeOf(item).within ? [el("p", { textContent: t("Fill the gaps.") })] :
  draw({ ...item.stem, blocks: item.stem.blocks?.filter(b => b !== pictureOf(item)) }, image)
export const control = (item, given, to) => typeOf(item).control(item, given, to)
// reading draws an answer as it was given.
export const reading = (item, given, image) => given ? typeOf(item).read(item, given, image) : [el("p", { className: "soft", textContent: t("You gave no answer.") })]
export const rightOnes = (item, ids, image) => (typeOf(item).right ?? optionsOf)(item, ids, image)
export const rightPairs = (item, pairs, image) => pairsOf(item, pairs, image)
export const rightGaps = (item, gaps, image) => inGaps(item, id => (gaps[id] ?? []).map(text => wordsIn(item, id, text)).join(" / "), image)
