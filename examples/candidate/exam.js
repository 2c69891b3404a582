// An exam that is open: one question at a time, with a clock and an overview.
import { draw, el, spoken } from "./content.js"
import { clock, head, lasting, saved, show, tell, warn } from "./page.js"
import { asking, control } from "./question.js"
import { call, file, kept, lang, left } from "./server.js"
import { t } from "./words.js"

const warnings = [300, 60] // seconds before the end

// take shows a session. Each change is kept in the browser at once and saved a moment later; what has no receipt yet is
// sent again after a reload. It gives a function that stops it, for whoever writes elsewhere, and one that names the questions whose last
// change has no receipt.
export function take(session, { attempt, button, ended }) {
  const path = kept.session, waiting = `waiting ${path}`, flags = `flags ${path}`, linear = session.navigation === "linear"
  const items = session.sections.flatMap(section => section.items.map(item => ({ ...item, section })))
  const answers = new Map(session.answers.map(a => [a.itemId, a])), receipts = new Map(answers)
  const unsaved = new Map(), refused = new Map(), begun = new Map(), unread = new Set(), flagged = new Set(JSON.parse(localStorage[flags] ?? "[]"))
  let { revision } = session, saving = null, timer = 0, doubt = null, done = false, shown = null, time = 0
  for (const a of JSON.parse(localStorage[waiting] ?? "[]").filter(a => a.sequence > (answers.get(a.itemId)?.sequence ?? 0))) {
    answers.set(a.itemId, a)
    unsaved.set(a.itemId, a)
  }
  const note = () => { unsaved.size ? localStorage[waiting] = JSON.stringify([...unsaved.values()]) : localStorage.removeItem(waiting) }
  const name = id => t("question {n}", { n: items.findIndex(i => i.itemId === id) + 1 })
  const names = ids => [...ids].map(name).join(", ")
  const image = id => file(`${path}/assets/${id}`)

  function stop() {
    done = true
    clearTimeout(timer)
    clearTimeout(time)
    removeEventListener("offline", state)
    removeEventListener("online", state)
  }

  // state says in the header what has a receipt and what has none.
  function state() {
    if (done) return
    const open = new Set([...refused.keys(), ...unread, ...doubt ? [shown.itemId] : []])
    if (open.size) saved(t("Not saved: {questions}.", { questions: names(open) }))
    else if (unsaved.size) saved(navigator.onLine ? t("Saving …") : t("Not sent yet: {questions}. It is kept on this device.", { questions: names(unsaved.keys()) }))
    else saved(doubt === null ? t("Everything is saved.") : t("Not saved yet …"))
    marks()
  }
  const saidOf = id => {
    const response = receipts.get(id)?.response
    return !response ? t("You have no answer yet.") : response.number === undefined ? "" : t("Your answer is still {number}.", { number: response.number })
  }

  function answer(item, response) {
    if (done || over(item)) return
    const a = { itemId: item.itemId, sequence: (answers.get(item.itemId)?.sequence ?? 0) + 1, response, startedAt: begun.get(item.itemId) }
    answers.set(item.itemId, a); unsaved.set(item.itemId, a); refused.delete(item.itemId); unread.delete(item.itemId); note()
    doubt = null
    tell("")
    state()
    clearTimeout(timer)
    timer = setTimeout(() => attempt(save), 300)
  }
  // save sends what has no receipt, one call after the other.
  const save = () => saving ??= send().finally(() => { saving = null; state() })
  async function send() {
    while (unsaved.size && !done) {
      const sent = [...unsaved.values()]
      try { await deliver(sent) } catch (problem) {
        if (problem.code !== "section_time_over" && problem.code !== "item_left") throw problem
        for (const a of sent) await deliver([a]).catch(one => refuse(a, one)) // one too late keeps no other from being saved
      }
    }
  }
  async function deliver(sent) {
    revision = (await call("POST", path + "/answers", { view: session.view, answers: sent })).revision
    for (const a of sent) {
      receipts.set(a.itemId, a)
      if (unsaved.get(a.itemId) === a) unsaved.delete(a.itemId)
    }
    note()
  }
  function refuse(a, problem) {
    if (problem.code !== "section_time_over" && problem.code !== "item_left") throw problem
    const kept = receipts.get(a.itemId)
    kept ? answers.set(a.itemId, kept) : answers.delete(a.itemId)
    unsaved.delete(a.itemId); refused.set(a.itemId, a); note()
    warn(t("Your last change came too late and does not count: {questions}.", { questions: name(a.itemId) }))
  }
  async function submit() {
    clearTimeout(timer)
    await save()
    await call("POST", path + "/submit", { view: session.view, revision }, kept[`submit ${revision}`] ??= crypto.randomUUID())
    return ended()
  }

  // The clock. At the end, and when it warns, it asks whether somebody gave more time.
  const endOf = item => [item?.section.deadlineAt, session.deadlineAt].filter(Boolean).sort()[0]
  const over = item => (end => end !== undefined && left(end) <= 0)(endOf(item))
  let warned = Infinity
  async function tick() {
    if (done) return
    const end = endOf(shown), seconds = end ? left(end) : Infinity
    const rest = end ? lasting(Math.ceil(seconds)) : ""
    clock(!end ? "" : end === session.deadlineAt ? t("{time} left", { time: rest }) : t("{time} left for this section", { time: rest }))
    const next = warnings.findLast(w => seconds <= w)
    if (next !== undefined && seconds > 0 && next < warned) {
      warned = next
      warn(t("{time} left.", { time: rest }))
      ask().catch(() => {})
    } else if (next === undefined) warned = Infinity
    if (seconds <= 0) await attempt(end === session.deadlineAt ? endExam : endSection)
    if (!done) time = setTimeout(tick, seconds <= 0 ? 2000 : 250)
  }
  async function ask() {
    const fresh = await call("GET", path + lang)
    if (fresh.deadlineAt !== session.deadlineAt && left(fresh.deadlineAt) > 0) warn(t("You have more time now."))
    session.deadlineAt = fresh.deadlineAt
    session.sections.forEach((s, i) => { s.startedAt = fresh.sections[i].startedAt; s.deadlineAt = fresh.sections[i].deadlineAt })
    return fresh
  }
  async function endExam() {
    lock()
    saved("")
    warn(t("Time is over."))
    clearTimeout(timer)
    await save().catch(problem => { if (problem.code !== "session_not_open") throw problem })
    for (;;) { // until the server's clock says so, too
      const fresh = await ask()
      if (done) return
      if (fresh.state !== "open") break
      if (left(session.deadlineAt) > 0) return go(Number(kept.place))
      await new Promise(done => setTimeout(done, 300))
    }
    return ended()
  }
  async function endSection() {
    lock()
    await save()
    await ask()
    if (!over(shown)) return go(Number(kept.place))
    warn(t("The time of this section is over."))
    shown = null
  }
  const lock = () => { for (const e of main().querySelectorAll("fieldset")) e.disabled = true }
  const main = () => document.querySelector("main")

  async function go(place) {
    clearTimeout(timer)
    if (linear) await save() // answers to what was left are refused
    else if (unsaved.size) attempt(save)
    if (doubt) unread.add(shown.itemId)
    doubt = null
    kept.place = place
    const item = items[place]
    if (!item) return overview()
    const { section } = item
    if (section.timeLimitSeconds && !section.startedAt) {
      Object.assign(section, await call("POST", `${path}/sections/${section.id}/start`, { view: session.view }, `${path} ${section.id}`.slice(-100)))
    }
    if (!begun.has(item.itemId)) begun.set(item.itemId, new Date().toISOString())
    shown = item
    const passage = session.passages.find(p => p.passageVersionId === item.passageVersionId)
    const fields = control(item, answers.get(item.itemId)?.response, { image, answer: response => answer(item, response),
      doubt: words => { doubt = words; state(); tell(words && `${words} ${saidOf(item.itemId)}`) } })
    show(t("Question {n} of {all}", { n: place + 1, all: items.length }), questions(place),
      session.sections.length > 1 ? el("p", { className: "soft", textContent: section.title, ...spoken(session.locale) }) : "",
      over(item) ? el("p", { className: "notice", textContent: t("The time of this section is over. Its answers stay as they are.") }) : "",
      passage ? el("section", {}, el("h2", { textContent: passage.title, ...spoken(passage.content.locale) }), ...draw(passage.content, image)) : "",
      el("fieldset", { dir: spoken(item.stem.locale).dir ?? "", disabled: over(item) }, el("legend", {}, ...asking(item, image)), hint(item), ...fields),
      el("p", { className: "ways" }, place > 0 && !linear ? button(t("Back"), () => go(place - 1), "plain") : "",
        button(place + 1 < items.length ? t("Next") : t("To the end"), () => go(place + 1)), linear ? "" : flag(item)))
    state()
  }
  const hint = ({ minSelections: least, maxSelections: most }) => !least && !most ? "" : el("p", { className: "soft", textContent:
    least === most ? t("Choose {n}.", { n: least }) : !most ? t("Choose at least {least}.", { least }) : !least ? t("Choose at most {most}.", { most }) :
      t("Choose at least {least}, at most {most}.", { least, most }) })

  function flag(item) {
    const b = el("button", { type: "button", className: "plain", textContent: t("Come back to this"), onclick() {
      flagged.delete(item.itemId) || flagged.add(item.itemId)
      localStorage[flags] = JSON.stringify([...flagged])
      b.ariaPressed = flagged.has(item.itemId)
      marks()
    } })
    b.ariaPressed = flagged.has(item.itemId)
    return b
  }
  const describe = (item, i) => `${t("Question {n}", { n: i + 1 })}: ${answers.get(item.itemId)?.response ? t("answered") : t("no answer")}${flagged.has(item.itemId) ? t(", to come back to") : ""}`
  // questions is the overview: a number for each, with what became of it. Where nobody goes back, it leads nowhere.
  function questions(place) {
    return el("nav", { ariaLabel: t("Questions") }, el("ol", { className: "questions" }, ...items.map((item, i) => {
      const one = linear ? el("span", {}, String(i + 1)) : button(String(i + 1), () => go(i), "plain")
      if (i === place) one.ariaCurrent = "true"
      return el("li", {}, one)
    })))
  }
  function marks() {
    document.querySelectorAll("ol.questions > li > *").forEach((one, i) => {
      const item = items[i]
      one.classList.toggle("answered", Boolean(answers.get(item.itemId)?.response))
      one.classList.toggle("flagged", flagged.has(item.itemId))
      if (!linear) one.ariaLabel = describe(item, i)
      one.title = describe(item, i)
    })
  }

  function overview() {
    shown = null
    const open = items.filter(i => !answers.get(i.itemId)?.response), back = items.filter(i => flagged.has(i.itemId))
    show(t("Before you submit"), questions(-1),
      el("p", { textContent: open.length ?
        t("{n} of {all} questions have no answer: {questions}.", { n: open.length, all: items.length, questions: names(open.map(i => i.itemId)) }) : t("You have answered every question.") }),
      back.length ? el("p", { textContent: t("You wanted to come back to {questions}.", { questions: names(back.map(i => i.itemId)) }) }) : "",
      refused.size ? el("p", { className: "notice", textContent: t("Your last changes came too late and do not count: {questions}.", { questions: names(refused.keys()) }) }) : "",
      unread.size ? el("p", { className: "notice", textContent: t("What you typed in {questions} is no number and does not count.", { questions: names(unread) }) }) : "",
      el("p", { className: "ways" }, linear ? "" : button(t("Back to the questions"), () => go(0), "plain"), button(t("Submit my answers"), submit)))
    state()
  }

  head(session.title, spoken(session.locale))
  addEventListener("offline", state)
  addEventListener("online", state)
  const furthest = items.findIndex(i => i.itemId === session.furthestItemId)
  if (unsaved.size) attempt(save)
  attempt(() => go(linear ? furthest + 1 : Math.min(Number(kept.place), items.length))).then(tick)
  return { stop, lost: () => [...unsaved.keys(), ...refused.keys()].map(name) }
}
