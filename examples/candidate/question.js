// The types of questions: what each is answered in, and how an answer reads afterwards.
import { draw, el, spoken } from "./content.js"
import { t } from "./words.js"

// A control takes an item with what was answered so far, and tells of every change: answer(response), null when it was
// cleared. doubt says that something is typed which is no answer yet, and why, if it cannot become one.
const choice = type => (item, given, { answer, image }) => {
  const chosen = box => [...box.closest("fieldset").querySelectorAll("input:checked")].map(i => i.value)
  return item.options.map(o => el("label", { className: "option" }, el("input", { type, name: "option", value: o.id,
    checked: given?.optionIds.includes(o.id) ?? false,
    onchange: e => answer(chosen(e.target).length ? { optionIds: chosen(e.target) } : null) }), el("div", {}, ...draw(o.content, image))))
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
    line.dataset.words = text.textContent.trim() || [...text.querySelectorAll("img")].map(i => i.alt).join(", ")
    const way = (sign, word, up) => el("button", { type: "button", className: "plain", textContent: sign, ariaLabel: `${word}: ${line.dataset.words}`, onclick: () => move(line, up) })
    line.append(text, way("↑", t("Up"), true), way("↓", t("Down"), false))
    return line
  }))
  edges()
  if (given) settled()
  said.textContent = given ? "" : t("You have no answer yet: move an option, or keep this order.")
  return [list, said, keep]
}

const optionsOf = (item, ids, image) => [el("ul", {}, ...item.options.filter(o => ids.includes(o.id)).map(o => el("li", {}, ...draw(o.content, image))))]
const inOrder = (item, ids, image) => [el("ol", {}, ...ids.map(id => item.options.find(o => o.id === id)).filter(Boolean).map(o => el("li", {}, ...draw(o.content, image))))]
const textOf = (item, given) => [el("p", { className: "given", textContent: given.text, ...spoken(item.stem.locale), dir: "auto" })]

const types = {
  mcq: { control: choice("radio"), read: (item, given, image) => optionsOf(item, given.optionIds, image) },
  mrq: { control: choice("checkbox"), read: (item, given, image) => optionsOf(item, given.optionIds, image) },
  order: { control: ordering, read: (item, given, image) => inOrder(item, given.optionIds, image), right: inOrder },
  numeric: { control: number, read: (item, given) => [el("p", { className: "given", textContent: String(given.number) })] },
  short_text: { control: writing("input", { type: "text", autocomplete: "off" }), read: textOf },
  essay: { control: writing("textarea", { rows: 12 }), read: textOf },
}

// A type that came after this page keeps nobody from the other questions.
const unheardOf = { control: () => [el("p", { className: "notice", textContent: t("This page cannot show questions of this type. Tell whoever invited you, and go on with the others.") })],
  read: () => [el("p", { className: "soft", textContent: t("This page cannot show this answer.") })] }
const typeOf = item => types[item.qtype] ?? unheardOf

export const control = (item, given, to) => typeOf(item).control(item, given, to)
// reading draws an answer as it was given.
export const reading = (item, given, image) => given ? typeOf(item).read(item, given, image) : [el("p", { className: "soft", textContent: t("You gave no answer.") })]
export const rightOnes = (item, ids, image) => (typeOf(item).right ?? optionsOf)(item, ids, image)
