// What must not compile: the test would fail if it did, since an expected error that does not come is
// an error.
import { connect, once, text, type Schemas } from "./client.js";

const client = connect("http://127.0.0.1:8080", "token");

// A stem is a content document.
export const stem: Schemas["AuthoringQuestionInput"] = {
  qtype: "essay",
  // @ts-expect-error
  stem: 42,
};

// The options of an answer are optionIds.
export const answer: Schemas["SessionAnswer"] = {
  itemId: "0190b3c4-0000-7000-8000-000000000007",
  sequence: 1,
  // @ts-expect-error
  response: { optionIDs: ["A"] },
};

// An essay has no options.
export const essay: Schemas["AuthoringQuestionInput"] = {
  qtype: "essay",
  stem: text("Why are leaves green?"),
  // @ts-expect-error
  options: [],
};

// A table needs a caption.
// @ts-expect-error
export const table: Schemas["ContentBlock"] = { type: "table", rows: [{ cells: [{}] }] };

// There is no such question type, state of a list, or route.
// @ts-expect-error
export const qtype: Schemas["AuthoringQuestionInput"]["qtype"] = "riddle";

export async function refused(): Promise<void> {
  await client.GET("/api/v1/questions", {
    params: {
      // @ts-expect-error
      query: { status: "lost" },
    },
  });
  // @ts-expect-error
  await client.GET("/api/v1/riddles");
  // @ts-expect-error a write needs a key
  await client.POST("/api/v1/questions/{id}/archive", { params: { path: { id: "x" } } });
  await client.POST("/api/v1/questions/{id}/archive", { params: { path: { id: "x" }, header: once() } });
}
