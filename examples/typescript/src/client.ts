import { randomUUID } from "node:crypto";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./api.js";

export type Schemas = components["schemas"];

/** What this client reads: reports are there as pages, too. */
type JSONClient = Client<paths, "application/json">;

/** Calls as somebody: the token goes with each of them. */
export function connect(baseUrl: string, token: string): JSONClient {
  return createClient<paths, "application/json">({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
}

/** The header that makes a write happen once; send the same key again when you try again. */
export function once(): { "Idempotency-Key": string } {
  return { "Idempotency-Key": randomUUID() };
}

/** What a call answered, or an error that says what the service has against it. */
export async function must<T>(call: Promise<{ data?: T; error?: Schemas["Problem"]; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) {
    const found = error?.details?.fields?.map((f) => `${f.path}: ${f.message}`) ?? [];
    throw new Error([`${response.status} ${error?.code}: ${error?.message}`, ...found].join("\n  "));
  }
  return data;
}

/** A content document of one paragraph in English. */
export function text(words: string): Schemas["ContentDocument"] {
  return {
    defaultLocale: "en",
    locales: {
      en: { schemaVersion: "passage-rich-content/v1", type: "doc", blocks: [{ type: "paragraph", children: [{ text: words }] }] },
    },
  };
}
