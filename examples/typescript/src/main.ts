// The main job from end to end: an author asks two questions, a candidate answers them, and the author
// reads the result and the report. Everything that is sent and read is checked by the compiler.
//
//   ASSESS_URL       where assessd listens, such as http://127.0.0.1:8080
//   AUTHOR_TOKEN     of somebody who writes, publishes, assigns and reads reports
//   AUTHOR_PROOF     id of a fresh step-up proof, which publishing consumes
//   CANDIDATE_TOKEN  of the person who takes the exam
import { env } from "node:process";
import { setTimeout } from "node:timers/promises";
import { connect, must, once, text, type Schemas } from "./client.js";

function setting(name: string): string {
  const value = env[name];
  if (value === undefined || value === "") {
    throw new Error(`${name} is not set`);
  }
  return value;
}

const url = setting("ASSESS_URL");
const author = connect(url, setting("AUTHOR_TOKEN"));
const candidate = connect(url, setting("CANDIDATE_TOKEN"));

/** Writes a question and publishes it. */
async function publishQuestion(body: Schemas["AuthoringQuestionInput"]): Promise<string> {
  const made = await must(author.POST("/api/v1/questions", { params: { header: once() }, body }));
  await must(author.POST("/api/v1/questions/{id}/publish", { params: { path: { id: made.id }, header: once() } }));
  return made.id;
}

/** Writes an evaluation of the questions and publishes it. */
async function publishEvaluation(title: string, questions: string[]): Promise<{ id: string; versionId: string }> {
  const made = await must(
    author.POST("/api/v1/evaluations", {
      params: { header: once() },
      body: {
        title,
        sections: [{ title: "Plants", items: questions.map((questionId) => ({ questionId })) }],
        settings: { pass_mark_percent: 50, navigation: "free" },
      },
    }),
  );
  const published = await must(
    author.POST("/api/v1/evaluations/{id}/publish", {
      params: { path: { id: made.id }, header: { ...once(), "X-Step-Up-Proof": setting("AUTHOR_PROOF") } },
    }),
  );
  if (published.published === undefined) {
    throw new Error("the evaluation was not published");
  }
  return { id: published.id, versionId: published.published.id };
}

/** What this candidate answers to an item; null leaves it out. */
function answerTo(item: Schemas["SessionItem"]): Schemas["Answer"] | null {
  switch (item.qtype) {
    case "mcq":
    case "mrq":
      return { optionIds: item.options.slice(0, 1).map((option) => option.id) };
    case "order":
      return { optionIds: item.options.map((option) => option.id) };
    case "match":
      return { pairs: (item.prompts ?? []).map((prompt) => [prompt.id, item.options[0]?.id ?? ""]) };
    case "gap":
      return { gaps: Object.fromEntries((item.gaps ?? []).map((gap, i) => [gap.id, gap.options?.[0]?.id ?? item.pool?.[i]?.id ?? "6"])) };
    case "numeric":
      return { number: 6 };
    case "short_text":
    case "essay":
      return { text: "Carbon dioxide" };
  }
}

/** Takes the evaluation as the candidate: answers every item, and submits. */
async function sit(evaluation: string): Promise<Schemas["SessionSubmitResult"]> {
  const mine = await must(candidate.GET("/api/v1/users/me/assignments"));
  const assignment = mine.items.find((one) => one.evaluationId === evaluation);
  if (assignment === undefined) {
    throw new Error("the evaluation is not assigned to the candidate");
  }
  const session = await must(
    candidate.POST("/api/v1/evaluations/{id}/sessions", {
      params: { path: { id: evaluation }, header: once() },
      body: { assignmentId: assignment.assignmentId },
    }),
  );
  const path = { id: evaluation, sessionId: session.id };
  const answers = session.sections
    .flatMap((section) => section.items)
    .map((item) => ({ itemId: item.itemId, sequence: 1, response: answerTo(item) }));
  const receipt = await must(
    candidate.POST("/api/v1/evaluations/{id}/sessions/{sessionId}/answers", { params: { path }, body: { answers } }),
  );
  return must(
    candidate.POST("/api/v1/evaluations/{id}/sessions/{sessionId}/submit", {
      params: { path, header: once() },
      body: { revision: receipt.revision },
    }),
  );
}

/** The report, as soon as it counts the attempt: figures follow a submission within a second or so. */
async function report(evaluationVersionId: string): Promise<Schemas["ReportingEvaluationSummary"]> {
  for (let tries = 0; tries < 100; tries++) {
    const summary = await must(
      author.GET("/api/v1/reporting/evaluation-summary", { params: { query: { evaluationVersionId } } }),
    );
    if (summary.attempts.completed > 0) {
      return summary;
    }
    await setTimeout(100);
  }
  throw new Error("the report does not count the attempt after ten seconds");
}

const gas = await publishQuestion({
  qtype: "mcq",
  stem: text("Which gas do plants take in?"),
  options: [
    { id: "A", isCorrect: true, content: text("Carbon dioxide") },
    { id: "B", isCorrect: false, content: text("Oxygen") },
  ],
});
const molecules = await publishQuestion({
  qtype: "numeric",
  stem: text("How many molecules of it make one of sugar?"),
  scoring: { value: 6, tolerance: 0 },
});
const evaluation = await publishEvaluation("Plants", [gas, molecules]);

const me = await must(candidate.GET("/api/v1/users/me"));
await must(
  author.POST("/api/v1/assignments", {
    params: { header: once() },
    body: { evaluationId: evaluation.id, target_type: "user_id", target_ref: me.id },
  }),
);
const submitted = await sit(evaluation.id);

const result = await must(author.GET("/api/v1/submissions/{id}", { params: { path: { id: submitted.submissionId } } }));
console.log(`result: ${result.outcome_code}, ${result.score} of ${result.maxScore}`);
const summary = await report(evaluation.versionId);
console.log(`report: ${summary.attempts.completed} completed`);
