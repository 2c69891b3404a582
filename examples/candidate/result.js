// What became of an exam: what counted, and as much as the exam lets its candidates know.
import { draw, el, spoken } from "./content.js"
import { head, saved, show, tell, warn, when } from "./page.js"
import { reading, rightOnes } from "./question.js"
import { call, file, kept, lang, quit, secured } from "./server.js"

// over shows a session that was submitted, or whose time is over; one that was closed has no result. lost names the
// questions whose last change came too late.
export async function over({ button, leave, lost = [] }) {
  for (const words of [saved, warn, tell]) words("")
  const session = await call("GET", kept.session + lang)
  head(session.title, spoken(session.locale))
  const back = el("p", { className: "ways" }, button("My exams", leave, "plain"),
    secured ? button("Close Safe Exam Browser", () => location.assign(quit)) : "")
  if (session.state === "closed" || session.state === "abandoned") {
    return show("This exam was closed", el("p", { textContent: session.state === "closed" ?
      "Whoever watches over the exam has closed it, without a result. Ask them how to go on." :
      "Nothing was done here for too long, so it ended without a result." }), back)
  }
  // Past its end this submits what was saved in time, and tells of the submission that is there already.
  const { submissionId } = await call("POST", kept.session + "/submit", {}, crypto.randomUUID())
  const result = await call("GET", `/submissions/${submissionId}${lang}`)
  const expired = result.completionMethod === "auto_submitted" || session.state === "expired"
  const image = id => file(`${kept.session}/assets/${id}`)
  const items = new Map(session.sections.flatMap(s => s.items).map(i => [i.itemId, i]))
  const pending = result.items.filter(i => i.scoreStatus === "PENDING").length
  show(expired ? "Time is over" : "Your answers are submitted",
    el("p", { textContent: expired ? `What was saved in time was submitted on ${when(result.completedAt)}. This counted: ${counted(result)}.` : `They arrived on ${when(result.completedAt)}.` }),
    lost.length ? el("p", { className: "notice", textContent: `Your last change came too late and does not count: ${lost.join(", ")}.` }) : "",
    result.outcome_label ? el("p", { className: "outcome", textContent: `${result.score} of ${result.maxScore} points: ${result.outcome_label}` }) : "",
    pending ? el("p", { textContent: `A person has still to score ${pending === 1 ? "one of your answers" : `${pending} of your answers`}.` }) : "",
    tags(result.feedbackTags ?? []),
    el("section", {}, el("h2", { textContent: "Your answers" }), el("ol", { className: "answers" }, ...result.items.map(i => told(i, items.get(i.itemId), image)))),
    el("details", {}, el("summary", { textContent: "Details" }), el("p", { textContent: `The number of your submission is ${result.id}.` })), back)
}

function counted(result) {
  const given = result.items.filter(i => !i.isOmitted).length
  return `${given} of ${result.items.length} questions with an answer`
}

const tags = all => !all.length ? "" : el("section", {}, el("h2", { textContent: "By topic" }), el("ul", {}, ...all.map(t =>
  el("li", { textContent: `${t.facetLabel}, ${t.label}: ${t.score} of ${t.maxScore} points${t.pending ? ", and one has still to be scored" : ""}` }))))

// told is one item: the question, one's own answer, and what the exam says of it.
function told(item, question, image) {
  const points = { SCORED: `${item.score} of ${item.max_score} points`, PENDING: "A person scores this answer.", INVALID: "This is no valid answer: it has no points.",
    EXEMPT: `0 of ${item.max_score} points` }[item.scoreStatus]
  return el("li", {}, ...draw(question.stem, image), el("h3", { textContent: "You answered" }), ...reading(question, item.response, image),
    points ? el("p", { className: "points", textContent: points }) : "",
    ...(item.correctOptionIds ? [el("h3", { textContent: "Right is" }), ...rightOnes(question, item.correctOptionIds, image)] : []),
    ...(item.explanation ? [el("h3", { textContent: "Why" }), ...draw(item.explanation, image)] : []))
}
