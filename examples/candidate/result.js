// What became of an exam: what counted, and as much as the exam lets its candidates know.
import { draw, el, spoken } from "./content.js"
import { head, saved, show, tell, warn, when } from "./page.js"
import { reading, rightGaps, rightOnes, rightPairs } from "./question.js"
import { call, file, kept, lang, quit, secured } from "./server.js"
import { speak, t } from "./words.js"

// over shows a session that was submitted, or whose time is over; one that was closed has no result. lost names the
// questions whose last change came too late.
export async function over({ button, leave, lost = [] }) {
  for (const words of [saved, warn, tell]) words("")
  const session = await call("GET", kept.session + lang)
  await speak(session.locale)
  head(session.title, spoken(session.locale))
  const back = el("p", { className: "ways" }, button(t("My exams"), leave, "plain"),
    secured ? button(t("Close Safe Exam Browser"), () => location.assign(quit)) : "")
  if (session.state === "closed" || session.state === "abandoned") {
    return show(t("This exam was closed"), el("p", { textContent: session.state === "closed" ?
      t("Whoever watches over the exam has closed it, without a result. Ask them how to go on.") :
      t("Nothing was done here for too long, so it ended without a result.") }), back)
  }
  // Past its end this submits what was saved in time, and tells of the submission that is there already.
  const { submissionId } = await call("POST", kept.session + "/submit", {}, crypto.randomUUID())
  const result = await call("GET", `/submissions/${submissionId}${lang}`)
  const expired = result.completionMethod === "auto_submitted" || session.state === "expired"
  const image = id => file(`${kept.session}/assets/${id}`)
  const items = new Map(session.sections.flatMap(s => s.items).map(i => [i.itemId, i]))
  const pending = result.items.filter(i => i.scoreStatus === "PENDING").length
  show(expired ? t("Time is over") : t("Your answers are submitted"),
    el("p", { textContent: expired ? t("What was saved in time was submitted on {when}. This counted: {given} of {all} questions with an answer.", counted(result)) :
      t("They arrived on {when}.", counted(result)) }),
    lost.length ? el("p", { className: "notice", textContent: t("Your last change came too late and does not count: {questions}.", { questions: lost.join(", ") }) }) : "",
    result.outcome_label ? el("p", { className: "outcome", textContent: `${t("{score} of {most} points", { score: result.score, most: result.maxScore })}: ${result.outcome_label}` }) : "",
    pending ? el("p", { textContent: pending === 1 ? t("A person has still to score one of your answers.") : t("A person has still to score {n} of your answers.", { n: pending }) }) : "",
    tags(result.feedbackTags ?? []),
    el("section", {}, el("h2", { textContent: t("Your answers") }), el("ol", { className: "answers" }, ...result.items.map(i => told(i, items.get(i.itemId), image)))),
    el("details", {}, el("summary", { textContent: t("Details") }), el("p", { textContent: t("The number of your submission is {id}.", { id: result.id }) })), back)
}

const counted = result => ({ when: when(result.completedAt), given: result.items.filter(i => !i.isOmitted).length, all: result.items.length })

const tags = all => !all.length ? "" : el("section", {}, el("h2", { textContent: t("By topic") }), el("ul", {}, ...all.map(tag =>
  el("li", { textContent: `${tag.facetLabel}, ${tag.label}: ${t("{score} of {most} points", { score: tag.score, most: tag.maxScore })}${tag.pending ? t(", and one has still to be scored") : ""}` }))))

// told is one item: the question, one's own answer, and what the exam says of it.
function told(item, question, image) {
  const points = { SCORED: t("{score} of {most} points", { score: item.score, most: item.max_score }), PENDING: t("A person scores this answer."),
    INVALID: t("This is no valid answer: it has no points."), EXEMPT: t("{score} of {most} points", { score: 0, most: item.max_score }) }[item.scoreStatus]
  return el("li", {}, ...draw(question.stem, image), el("h3", { textContent: t("You answered") }), ...reading(question, item.response, image),
    points ? el("p", { className: "points", textContent: points }) : "",
    ...(item.correctOptionIds ? [el("h3", { textContent: t("Right is") }), ...rightOnes(question, item.correctOptionIds, image)] : []),
    ...(item.correctAnswers ? [el("h3", { textContent: t("Right is") }), el("p", { textContent: item.correctAnswers.join(" / "), ...spoken(question.stem.locale), dir: "auto" })] : []),
    ...(item.correctPairs ? [el("h3", { textContent: t("Right is") }), ...rightPairs(question, item.correctPairs, image)] : []),
    ...(item.correctGaps ? [el("h3", { textContent: t("Right is") }), ...rightGaps(question, item.correctGaps, image)] : []),
    ...(item.explanation ? [el("h3", { textContent: t("Why") }), ...draw(item.explanation, image)] : []))
}
