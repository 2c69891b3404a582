// Calls of the interface, and the server's clock.
import { tell } from "./page.js"
import { wordsFor } from "./refused.js"
import { t } from "./words.js"

const api = document.querySelector("meta[name=api]").content
export const at = path => api + path // where a path of the interface is
export const kept = sessionStorage // of this tab: who is signed in, and which exam is open
export const lang = `?lang=${encodeURIComponent(navigator.language)}`

// What the server's clock is ahead of this device's, in ms: between these two. Each answer says its time to the second.
let least = -Infinity, most = Infinity
function heed(answer, sent) {
  const said = Date.parse(answer.headers.get("Date") ?? "")
  if (Number.isNaN(said)) return
  const low = said - Date.now(), high = said + 1000 - sent
  if (low > most || high < least) [least, most] = [low, high] // somebody set the clock of this device
  else [least, most] = [Math.max(least, low), Math.min(most, high)]
}

// left are the seconds to a moment, by the server's clock; as long as no answer said its time, by this device's.
export const left = end => (Date.parse(end) - Date.now() - (most === Infinity ? 0 : (least + most) / 2)) / 1000

// Safe Exam Browser tells a page in hashes with which settings it runs. They belong to the address of the page as it was loaded, and go
// along with each call. Old versions tell when they are asked.
const page = location.href.split("#")[0]
export const secured = globalThis.SafeExamBrowser?.security
async function proof() {
  if (!secured) return {}
  if (!secured.configKey) await new Promise(done => secured.updateKeys(done))
  return { "X-Lockdown": "fullscreen_exit,focus_loss", "X-Lockdown-Page": page, "X-SafeExamBrowser-ConfigKeyHash": secured.configKey ?? "",
    "X-SafeExamBrowser-RequestHash": secured.browserExamKey ?? "" }
}
const proved = proof()
// An address that Safe Exam Browser ends at (quitURL of its settings).
export const quit = `${page.split("?")[0]}?quit=seb`

const rest = ms => new Promise(done => {
  const timer = setTimeout(over, ms)
  addEventListener("online", over)
  function over() { clearTimeout(timer); removeEventListener("online", over); done() }
})

// call answers JSON. Where there is no network, or the server is busy, it tries again, not before the server says
// so; the key makes sure that what it asks for happens once. Signing in is tried again only when too many people do
// so at once.
export async function call(method, path, body, key) {
  for (let wait = 500, waited = false; ; wait = Math.min(wait * 2, 15000), waited = true) {
    const headers = { "Content-Type": "application/json", ...await proved }, sent = Date.now()
    if (kept.token) headers.Authorization = `Bearer ${kept.token}`
    if (key) headers["Idempotency-Key"] = key
    const answer = await fetch(api + path, { method, headers, body: body && JSON.stringify(body), cache: "no-store" }).catch(() => null)
    if (answer) heed(answer, sent)
    if (answer?.ok) {
      if (waited) tell("")
      return answer.json()
    }
    const crowded = answer?.status === 429
    if (!crowded && (answer && answer.status < 500 || path.startsWith("/auth/"))) {
      const problem = await answer?.json().catch(() => null) ?? { message: t("The service does not answer. Try again.") }
      throw refusal(problem, path.startsWith("/auth/") ? 0 : answer.status)
    }
    tell(crowded ? t("Many people are here at this moment. This page goes on by itself.") : answer ?
      t("The service does not answer. What you did is kept on this device, and sent as soon as it does.") :
      t("There is no connection. What you did is kept on this device, and sent as soon as there is one."))
    const turn = Number(answer?.headers.get("Retry-After") ?? 0) * 1000
    await rest(turn + wait * (turn ? Math.random() : 1))
  }
}

const refusal = (problem, status) => Object.assign(new Error(), problem, { message: wordsFor(problem), status })

// end ends a token, also when the tab is closed meanwhile. Without a connection it ends when its time is over; nobody has it by then.
export const end = token => fetch(api + "/auth/sign-out", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }), keepalive: true }).catch(() => {})

// keep has the browser keep a file, which is fetched with the token.
export async function keep(path, name) {
  const answer = await fetch(api + path, { headers: { Authorization: `Bearer ${kept.token}` } })
  if (!answer.ok) throw refusal(await answer.json(), answer.status)
  Object.assign(document.createElement("a"), { href: URL.createObjectURL(await answer.blob()), download: name }).click()
}

// An image of an exam is for its candidate alone, so it is fetched with the token.
export const file = async path => URL.createObjectURL(await (await fetch(api + path, { headers: { Authorization: `Bearer ${kept.token}` } })).blob())
