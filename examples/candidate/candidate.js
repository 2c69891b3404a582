// A candidate's client: from the link in a mail to the submitted exam, over the interface alone.
import { draw, el, spoken } from "./content.js"

const api = document.querySelector("meta[name=api]").content
const home = location.origin + location.pathname
const main = document.querySelector("main"), told = document.querySelector("#told")
const kept = sessionStorage // of this tab: who is signed in, and which exam is open

// What the link of a mail brought stands behind the #. It leaves the address, and so the history,
// before anything else happens.
const brought = new URLSearchParams(location.hash.slice(1))
history.replaceState(null, "", home)
addEventListener("hashchange", () => location.reload()) // another link, in the tab that is open

const tell = words => { told.textContent = words }
// button does its deed once, however often it is clicked; the second click of a double click is nobody's.
const button = (text, deed, className = "") => el("button", { type: "button", textContent: text, className, onclick: async e => {
  if (e.detail > 1) return
  e.target.disabled = true
  await attempt(deed)
  e.target.disabled = false
} })
function show(title, ...parts) {
  main.replaceChildren(el("h1", { tabIndex: -1 }, title), ...parts)
  main.firstChild.focus()
}

// attempt does something and says what went wrong.
async function attempt(deed) {
  try { return await deed() } catch (problem) {
    if (problem.status === 401) return askWho("Sign in to go on. Nothing is lost.")
    if (problem.code === "session_superseded") return show("You went on elsewhere",
      el("p", { textContent: "This exam is open in another window or on another device, and is written there." }), button("Go on here", resume))
    if (problem.code === "session_not_open") return over()
    tell(problem.message)
  }
}

// call answers JSON. Where there is no network, or the server is busy, it tries again, not before the server says
// so; the key makes sure that what it asks for happens once. Signing in is tried again only when too many people do
// so at once.
async function call(method, path, body, key) {
  for (let wait = 500; ; wait = Math.min(wait * 2, 15000)) {
    const headers = { "Content-Type": "application/json" }
    if (kept.token) headers.Authorization = `Bearer ${kept.token}`
    if (key) headers["Idempotency-Key"] = key
    const answer = await fetch(api + path, { method, headers, body: body && JSON.stringify(body), cache: "no-store" }).catch(() => null)
    if (answer?.ok) return answer.json()
    const crowded = answer?.status === 429
    if (!crowded && (answer && answer.status < 500 || path.startsWith("/auth/"))) {
      const problem = await answer?.json() ?? { message: "The service does not answer. Try again." }
      throw Object.assign(new Error(problem.message), problem, { status: path.startsWith("/auth/") ? 0 : answer.status })
    }
    tell(crowded ? "Many people are here at this moment. This page goes on by itself." :
      "The service does not answer. What you did is kept here, and sent as soon as it does.")
    const turn = Number(answer?.headers.get("Retry-After") ?? 0) * 1000
    await new Promise(done => setTimeout(done, turn + wait * (turn ? Math.random() : 1)))
  }
}

// Signing in: the link in the mail leads back with a code, which is of use only with the verifier that
// this browser keeps (RFC 7636).
const base64url = bytes => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

function askWho(why) {
  const tenant = el("input", { required: true, name: "tenant", autocomplete: "organization", autocapitalize: "none", value: localStorage.tenant ?? "" })
  const email = el("input", { required: true, name: "email", type: "email", autocomplete: "email" })
  const form = el("form", { onsubmit: e => { e.preventDefault(); attempt(askLink) } },
    el("label", {}, "Organisation (its short name)", tenant), el("label", {}, "E-mail address", email), el("button", { textContent: "Send me a link" }))
  show("Sign in", el("p", { textContent: why }), form)
  async function askLink() {
    const verifier = random(), state = random()
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)))
    localStorage.asked = JSON.stringify({ state, verifier, assignment: kept.assignment })
    localStorage.tenant = tenant.value
    await call("POST", "/auth/login", { tenant: tenant.value, email: email.value, redirectUri: home, codeChallenge: base64url(hash), state })
    show("Look into your mail", el("p", { textContent: "If we know the address, a link is on its way. Open it in this browser, within a quarter of an hour." }))
  }
}

async function trade() {
  const asked = JSON.parse(localStorage.asked ?? "{}"), state = brought.get("state")
  if (state && state !== asked.state) throw new Error("This link was asked for in another browser. Ask for a new one here.")
  const session = await call("POST", "/auth/token", { code: brought.get("code"), codeVerifier: state ? asked.verifier : undefined })
  if (state) localStorage.removeItem("asked")
  kept.clear()
  Object.assign(kept, { token: session.token, until: session.expiresAt, name: session.user.name || session.user.email })
  kept.assignment = brought.get("assignment") ?? asked.assignment ?? ""
}

// refresh trades the token for a fresh one before it ends.
setInterval(async () => {
  if (!kept.token || new Date(kept.until) - Date.now() > 3600_000) return
  const fresh = await call("POST", "/auth/refresh", {}).catch(() => null)
  if (fresh) Object.assign(kept, { token: fresh.token, until: fresh.expiresAt })
}, 60_000)

// What is assigned to the person, or the one assignment that the mail was about.
const when = time => new Date(time).toLocaleString()
const states = { open: "You can start.", in_progress: "You have begun.", used_up: "You have no attempt left.", ended: "The time for it is over.",
  upcoming: "It is not open yet.", waiting: "Your next attempt is not open yet.", closed: "It is closed.", unavailable: "It is not available." }

async function listExams() {
  const { items } = await call("GET", "/users/me/assignments?limit=200")
  const meant = items.filter(a => a.assignmentId === kept.assignment)
  const exam = a => el("li", {}, el("h2", { textContent: a.title }), el("p", { className: "soft" }, states[a.state],
    a.validFrom && a.state === "upcoming" ? ` It opens on ${when(a.validFrom)}.` : "", a.validUntil ? ` Start before ${when(a.validUntil)}.` : "",
    a.timeLimitSeconds ? ` You have ${Math.round(a.timeLimitSeconds / 60)} minutes.` : "", a.attemptsLeft === null ? "" : ` Attempts left: ${a.attemptsLeft}.`),
    a.state === "open" ? button("Start", () => start(a)) : "",
    a.state === "in_progress" ? button("Go on", () => { open(a.evaluationId, a.openSessionId); return resume() }) : "")
  show(`Hello ${kept.name}`, el("ul", { className: "exams" }, ...(meant.length ? meant : items).map(exam)),
    items.length ? "" : el("p", { textContent: "Nothing is assigned to you." }),
    meant.length && items.length > meant.length ? button("All my exams", () => { kept.assignment = ""; return listExams() }, "plain") : "",
    button("Sign out", () => { kept.clear(); askWho("You are signed out.") }, "plain"))
}

// open notes which session this tab is at; a reload goes on there.
const open = (evaluation, session) => { kept.session = `/evaluations/${evaluation}/sessions/${session}`; kept.place = 0 }
const lang = `?lang=${encodeURIComponent(navigator.language)}`

async function start(assignment) {
  const key = kept[assignment.assignmentId] ??= crypto.randomUUID()
  const session = await call("POST", `/evaluations/${assignment.evaluationId}/sessions${lang}`, { assignmentId: assignment.assignmentId }, key)
  kept.removeItem(assignment.assignmentId)
  open(assignment.evaluationId, session.id)
  take(session)
}

// resume takes the session over, from a reload or from another device.
const resume = async () => take(await call("POST", kept.session + "/resume" + lang, {}, crypto.randomUUID()))

// over shows the result of a session that was submitted, or whose time is over; one that was closed has none.
async function over() {
  try { finish(await call("POST", kept.session + "/submit", {}, crypto.randomUUID())) } catch (problem) {
    show("This exam is over", el("p", { textContent: problem.message }), button("My exams", leave, "plain"))
  }
}
const leave = () => { kept.removeItem("session"); return listExams() }

// take shows a session, one question at a time. Each change is kept in the browser at once and saved a
// moment later; what has no receipt yet is sent again after a reload.
function take(session) {
  const path = kept.session, waiting = `waiting ${path}`, linear = session.navigation === "linear"
  const items = session.sections.flatMap(section => section.items.map(item => ({ ...item, section })))
  const answers = new Map(session.answers.map(a => [a.itemId, a])), unsaved = new Map(), begun = new Map()
  let { revision } = session, saving = null, timer = 0, typing = 0
  for (const a of JSON.parse(localStorage[waiting] ?? "[]").filter(a => a.sequence > (answers.get(a.itemId)?.sequence ?? 0))) {
    answers.set(a.itemId, a)
    unsaved.set(a.itemId, a)
  }
  const title = () => el("span", { textContent: session.title, ...spoken(session.locale) })
  const note = () => { unsaved.size ? localStorage[waiting] = JSON.stringify([...unsaved.values()]) : localStorage.removeItem(waiting) }

  function answer(item, response) {
    const a = { itemId: item.itemId, sequence: (answers.get(item.itemId)?.sequence ?? 0) + 1, response, startedAt: begun.get(item.itemId) }
    answers.set(item.itemId, a); unsaved.set(item.itemId, a); note()
    tell("Saving …")
    clearTimeout(timer)
    timer = setTimeout(() => attempt(save), 300)
  }
  // save sends what has no receipt, one call after the other.
  const save = () => saving ??= send().finally(() => { saving = null })
  async function send() {
    while (unsaved.size) {
      const sent = [...unsaved.values()]
      revision = (await call("POST", path + "/answers", { view: session.view, answers: sent })).revision
      for (const a of sent) if (unsaved.get(a.itemId) === a) unsaved.delete(a.itemId)
      note()
    }
    if (!main.querySelector("[aria-invalid=true]")) tell("Everything is saved.")
  }
  async function submit() {
    clearTimeout(timer)
    await save()
    finish(await call("POST", path + "/submit", { view: session.view, revision }, kept[`submit ${revision}`] ??= crypto.randomUUID()))
  }

  async function go(place) {
    if (linear) await save() // answers to what was left are refused
    kept.place = place
    const item = items[place]
    if (!item) return overview()
    if (item.section.timeLimitSeconds && !item.section.startedAt) {
      Object.assign(item.section, await call("POST", `${path}/sections/${item.section.id}/start`, { view: session.view }, `${path} ${item.section.id}`.slice(-100)))
    }
    if (!begun.has(item.itemId)) begun.set(item.itemId, new Date().toISOString())
    const passage = session.passages.find(p => p.passageVersionId === item.passageVersionId)
    const image = id => call.file(`${path}/assets/${id}`)
    show(title(), el("p", { className: "soft", textContent: `Question ${place + 1} of ${items.length}` }), timeLeft(item),
      passage ? el("section", {}, el("h2", { textContent: passage.title, ...spoken(passage.content.locale) }), ...draw(passage.content, image)) : "",
      el("fieldset", { dir: spoken(item.stem.locale).dir ?? "" }, el("legend", {}, ...draw(item.stem, image)), ...field(item, image)),
      place > 0 && !linear ? button("Back", () => go(place - 1), "plain") : "", button(place + 1 < items.length ? "Next" : "To the end", () => go(place + 1)))
  }
  function overview() {
    const open = items.filter(i => !answers.get(i.itemId)?.response).length
    show(title(), el("p", { textContent: open ? `${open} of ${items.length} questions have no answer.` : "You have answered every question." }),
      linear ? "" : button("Back to the questions", () => go(0), "plain"), button("Submit my answers", submit))
  }
  // field is what a question is answered in.
  function field(item, image) {
    const given = answers.get(item.itemId)?.response
    if (item.qtype === "numeric") return [el("input", { type: "text", inputMode: "decimal", autocomplete: "off", ariaLabel: "Your answer, a number",
      value: given?.number ?? "", oninput: e => pause(e.target), onchange: e => measure(e.target) })]
    if (!item.options.length) {
      return [el(item.qtype === "essay" ? "textarea" : "input", { type: "text", rows: 8, ...spoken(item.stem.locale), dir: "auto", ariaLabel: "Your answer", value: given?.text ?? "",
        oninput: e => answer(item, e.target.value === "" ? null : { text: e.target.value }) })]
    }
    const chosen = () => [...main.querySelectorAll("input:checked")].map(i => i.value)
    return item.options.map(o => el("label", { className: "option" }, el("input", { type: item.qtype === "mcq" ? "radio" : "checkbox", name: "option",
      value: o.id, checked: given?.optionIds.includes(o.id) ?? false, onchange: () => answer(item, chosen().length ? { optionIds: chosen() } : null) }),
    el("div", {}, ...draw(o.content, image))))
  }
  // pause waits until a number is typed to its end: 1 and 1, are on the way to 1,5.
  function pause(input) {
    clearTimeout(typing)
    typing = setTimeout(() => measure(input), 700)
  }
  // measure takes a number as an answer. What is no number changes nothing, and is said.
  function measure(input) {
    clearTimeout(typing)
    const number = readNumber(input.value), item = items[kept.place]
    input.ariaInvalid = Number.isNaN(number)
    if (!Number.isNaN(number)) return answer(item, number === null ? null : { number })
    const saved = answers.get(item.itemId)?.response?.number
    tell(`This is no number. ${saved === undefined ? "You have no answer yet." : `Your answer is still ${saved}.`}`)
  }
  function timeLeft(item) {
    const end = item.section.deadlineAt ?? session.deadlineAt
    return end ? el("p", { className: "soft", textContent: `Until ${new Date(end).toLocaleTimeString()}` }) : ""
  }

  const furthest = items.findIndex(i => i.itemId === session.furthestItemId)
  if (unsaved.size) attempt(save)
  return attempt(() => go(linear ? furthest + 1 : Number(kept.place)))
}

// readNumber reads what people type: with a point or one comma, and with either minus. It gives null for nothing, and
// NaN for what is no number or could be two: 1,500.
function readNumber(text) {
  const typed = text.trim().replaceAll("\u2212", "-")
  if (typed === "") return null
  return /^[-+]?(\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?$/i.test(typed) && !/^[-+]?\d{1,3},\d{3}$/.test(typed) ? Number(typed.replace(",", ".")) : NaN
}

// An image of an exam is for its candidate alone, so it is fetched with the token.
call.file = async path => URL.createObjectURL(await (await fetch(api + path, { headers: { Authorization: `Bearer ${kept.token}` } })).blob())

function finish(result) {
  tell("")
  show("Your answers are submitted", el("p", { textContent: `They arrived on ${when(result.completedAt)}.` }),
    result.outcome_label ? el("p", { textContent: `${result.score} of ${result.maxScore} points: ${result.outcome_label}` }) : "",
    el("p", { className: "soft", textContent: `The number of your submission is ${result.submissionId}.` }),
    button("My exams", leave, "plain"))
}

attempt(async () => {
  if (brought.has("assignment")) kept.assignment = brought.get("assignment")
  if (brought.has("code")) try { await trade() } catch (problem) { return askWho(problem.message) }
  if (!kept.token) return askWho("We send you a link by mail. It signs you in.")
  return kept.session ? resume() : listExams()
})
