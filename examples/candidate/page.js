// What every view of the page is made with.
import { el } from "./content.js"
import { t, tongue } from "./words.js"

const main = document.querySelector("main")
const line = id => words => { const e = document.getElementById(id); if (e.textContent !== words) e.textContent = words }

// tell says what went wrong or happened, and warn what must not wait; screen readers read both out. What is saved they
// find in the header.
export const tell = line("told"), warn = line("warned"), saved = line("saved"), clock = line("clock")

// show draws a view: its title is that of the page, and has the focus.
export function show(title, ...parts) {
  const name = document.getElementById("exam").textContent
  document.title = name ? `${title} – ${name}` : title
  main.replaceChildren(el("h1", { tabIndex: -1, textContent: title }), ...parts)
  main.firstChild.focus()
}

// head says in the header which exam this is; without one the header is empty.
export function head(title, language = {}) {
  document.getElementById("exam").replaceChildren(title ? el("span", { textContent: title, ...language }) : "")
  for (const words of [clock, saved, warn]) words("")
}

// The second click of a double click means what the first one did. When that has led to another view by then, it falls on whatever
// is there now: it must not take the focus from the title, and not tick an answer.
let pressed = null
addEventListener("mousedown", e => { if (e.detail < 2) pressed = e.target }, true)
for (const kind of ["mousedown", "click"]) addEventListener(kind, e => {
  if (e.detail < 2 || pressed?.isConnected !== false) return
  e.preventDefault()
  e.stopPropagation()
}, true)

// buttons do their deed once, however often they are clicked.
export const buttons = attempt => (text, deed, className = "") => el("button", { type: "button", textContent: text, className, onclick: async e => {
  if (e.detail > 1) return
  e.target.disabled = true
  await attempt(deed)
  e.target.disabled = false
} })

export const when = time => new Date(time).toLocaleString(navigator.languages.find(l => l.startsWith(tongue())) ?? tongue(), { dateStyle: "long", timeStyle: "short" })

// lasting says a time exactly: 1 min 30 s.
export function lasting(seconds) {
  const s = Math.max(0, Math.floor(seconds)), parts = [[Math.floor(s / 3600), t("h")], [Math.floor(s / 60) % 60, t("min")], [s % 60, t("s")]]
  return parts.filter(([n]) => n).map(([n, unit]) => `${n} ${unit}`).join(" ") || `0 ${t("s")}`
}
