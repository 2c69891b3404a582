// A candidate's client: from the link in a mail to the submitted exam, over the interface alone.
import { el } from "./content.js"
import { take } from "./exam.js"
import { buttons, clock, head, lasting, saved, show, tell, warn, when } from "./page.js"
import { over } from "./result.js"
import { at, call, end, keep, kept, lang, secured } from "./server.js"
import { speak, t } from "./words.js"

const home = location.origin + location.pathname

// What the link of a mail brought stands behind the #. It leaves the address, and so the history,
// before anything else happens.
const brought = new URLSearchParams(location.hash.slice(1))
history.replaceState(null, "", home)
addEventListener("hashchange", () => location.reload()) // another link, in the tab that is open

let exam = null // the one that is open
const stop = () => exam?.stop()
const button = buttons(attempt)

// attempt does something and says what went wrong.
async function attempt(deed) {
  try { return await deed() } catch (problem) {
    if (problem.status === 401) return askWho(t("Sign in to go on. Nothing is lost."))
    if (problem.code === "session_superseded") return elsewhere()
    if (problem.code === "session_not_open") return attempt(ended)
    tell(problem.message)
  }
}
function elsewhere() {
  stop()
  for (const words of [clock, saved, warn, tell]) words("")
  show(t("This exam is open in another window"), el("p", { textContent: t("It is written there, in another window or on another device. To write here, take it over; the other one stops then.") }),
    el("p", { className: "ways" }, button(t("Go on here"), resume)))
}

// Tabs of one browser share who is signed in as long as one of them is open: nothing of it stays for the next person.
const tabs = new BroadcastChannel("exam")
const who = () => ({ token: kept.token, until: kept.until, name: kept.name })
tabs.onmessage = ({ data }) => {
  if (data.asks && kept.token) tabs.postMessage(who())
  else if (data.token && !kept.token) { Object.assign(kept, data); tabs.dispatchEvent(new Event("told")); attempt(begin) }
  else if (data.took && data.took === kept.session) elsewhere()
  else if (data.out && kept.token) { forget(); askWho(t("You are signed out.")) }
}
const askTabs = () => new Promise(done => {
  tabs.addEventListener("told", () => done(true), { once: true })
  setTimeout(() => done(false), 250) // an answer that comes later is heard all the same
  tabs.postMessage({ asks: true })
})
function forget() {
  stop()
  kept.clear()
  head("")
}

// Signing in: the link in the mail leads back with a code, which is of use only with the verifier that
// this browser keeps (RFC 7636).
const base64url = bytes => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

function askWho(why) {
  stop()
  head("")
  const tenant = el("input", { required: true, name: "tenant", autocomplete: "organization", autocapitalize: "none", value: brought.get("tenant") ?? localStorage.tenant ?? "" })
  const email = el("input", { required: true, name: "email", type: "email", autocomplete: "email", value: brought.get("email") ?? "" })
  const form = el("form", { onsubmit: e => { e.preventDefault(); attempt(askLink) } },
    el("label", {}, t("Organisation (its short name)"), tenant), el("label", {}, t("E-mail address"), email), el("button", { textContent: t("Send me a link") }))
  // The organisation may have a sign-in of its own; a button for each is offered as soon as it is known which one that is.
  const ways = el("p", { className: "ways" })
  async function offer() {
    const named = tenant.value.trim(), { items } = named ? await call("GET", `/auth/providers?${new URLSearchParams({ tenant: named })}`) : { items: [] }
    if (named === tenant.value.trim()) ways.replaceChildren(...items.map(({ slug, name }) => button(t("Sign in with {name}", { name }), () => goTo(slug))))
  }
  tenant.onchange = () => attempt(offer)
  show(t("Sign in"), el("p", { textContent: why }), form, ways)
  attempt(offer)
  // ask makes the secret that this browser trades the code with.
  async function ask() {
    const verifier = random(), state = random()
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)))
    localStorage.asked = JSON.stringify({ state, verifier, assignment: kept.assignment })
    localStorage.tenant = tenant.value.trim()
    return { tenant: tenant.value.trim(), redirectUri: home, codeChallenge: base64url(hash), state }
  }
  async function goTo(slug) {
    location.assign(at(`/auth/oidc/${slug}/start?${new URLSearchParams(await ask())}`))
  }
  async function askLink() {
    await call("POST", "/auth/login", { ...await ask(), email: email.value })
    show(t("Look into your mail"), el("p", { textContent: t("If we know the address, a link is on its way. Open it in this browser, within a quarter of an hour.") }),
      el("p", { className: "ways" }, button(t("Send me a new link"), () => askWho(t("We send you a link by mail. It signs you in.")), "plain")))
  }
}

async function trade() {
  const asked = JSON.parse(localStorage.asked ?? "{}"), state = brought.get("state")
  if (state && state !== asked.state) throw new Error(t("This link was asked for in another browser. Ask for a new one here."))
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
const states = () => ({ open: t("You can start."), in_progress: t("You have begun."), used_up: t("You have no attempt left."), ended: t("The time for it is over."),
  upcoming: t("It is not open yet."), waiting: t("Your next attempt is not open yet."), closed: t("It is closed."), unavailable: t("It is not available.") })

async function listExams() {
  await speak()
  head("")
  const { items } = await call("GET", "/users/me/assignments?limit=200")
  const meant = items.filter(a => a.assignmentId === kept.assignment)
  const exam = a => el("li", {}, el("h2", { textContent: a.title }), el("p", { className: "soft" }, [states()[a.state],
    a.validFrom && a.state === "upcoming" && t("It opens on {when}.", { when: when(a.validFrom) }),
    a.availableAt && a.state === "waiting" && t("It opens on {when}.", { when: when(a.availableAt) }), a.validUntil && t("Start before {when}.", { when: when(a.validUntil) }),
    a.timeLimitSeconds && t("You have {time}.", { time: lasting(a.timeLimitSeconds) }), a.attemptsLeft !== null && t("Attempts left: {n}.", { n: a.attemptsLeft })].filter(Boolean).join(" ")),
    a.sebFile && !secured && (a.state === "open" || a.state === "in_progress") ? button(t("Open in Safe Exam Browser"), () => enclose(a)) :
    a.state === "open" ? button(t("Start"), () => start(a)) : "",
    a.state === "in_progress" ? button(t("Go on"), () => { open(a.evaluationId, a.openSessionId); return resume() }) : "")
  show(t("Hello {name}", { name: kept.name }), el("ul", { className: "exams" }, ...(meant.length ? meant : items).map(exam)),
    items.length ? "" : el("p", { textContent: t("Nothing is assigned to you.") }),
    el("p", { className: "ways" }, meant.length && items.length > meant.length ? button(t("All my exams"), () => { kept.assignment = ""; return listExams() }, "plain") : "",
      button(t("Sign out"), signOut, "plain")))
}

// signOut forgets at once who is here, in all tabs, and has the server end the token.
function signOut() {
  const { token } = kept
  forget()
  tabs.postMessage({ out: true })
  end(token)
  askWho(t("You are signed out."))
}

// enclose gives the file that opens an exam in Safe Exam Browser, where this page goes on.
async function enclose(assignment) {
  await keep(`/assignments/${assignment.assignmentId}/seb`, "exam.seb")
  tell(t("Open the file exam.seb. Safe Exam Browser starts, and you sign in there."))
}

// open notes which session this tab is at; a reload goes on there.
const open = (evaluation, session) => { kept.session = `/evaluations/${evaluation}/sessions/${session}`; kept.place = 0 }

async function start(assignment) {
  const key = kept[assignment.assignmentId] ??= crypto.randomUUID()
  const session = await call("POST", `/evaluations/${assignment.evaluationId}/sessions${lang}`, { assignmentId: assignment.assignmentId }, key)
  kept.removeItem(assignment.assignmentId)
  open(assignment.evaluationId, session.id)
  return enter(session)
}

// resume takes the session over, from a reload or from another window or device.
async function resume() {
  const session = await call("POST", kept.session + "/resume" + lang, {}, crypto.randomUUID())
  tabs.postMessage({ took: kept.session })
  return enter(session)
}
async function enter(session) {
  stop()
  await speak(session.locale)
  tell("")
  exam = take(session, { attempt, button, ended })
}
function ended() {
  stop()
  const lost = exam?.lost()
  exam = null
  return over({ button, leave, lost })
}
const leave = () => { kept.removeItem("session"); return listExams() }

const begin = () => kept.session ? resume() : listExams()

attempt(async () => {
  await speak()
  if (brought.has("assignment")) kept.assignment = brought.get("assignment")
  if (brought.has("code")) try { await trade() } catch (problem) { return askWho(problem.message) }
  else if (brought.has("again")) return askWho(t("That link was used, or its time is over. We send you a new one."))
  if (!kept.token && await askTabs()) return
  if (!kept.token) return askWho(t("We send you a link by mail. It signs you in."))
  return begin()
})
