import type { ServerResponse } from "node:http";
import type { ErrorCode, Outcome, OutcomeName, Payload } from "../../wire/index.ts";
import { sendParts } from "../http/send-parts.ts";

const statusOf: Record<OutcomeName, number> = {
  ok: 200,
  "tool-error": 200,
  rejected: 400,
  "not-delivered": 502,
  "page-gone": 502,
  "page-suspended": 503,
  "deadline-exceeded": 504,
  cancelled: 409,
  expired: 410,
  "outcome-unknown": 502,
};

const statusOfCode: Partial<Record<ErrorCode, number>> = {
  "tool-not-found": 404,
  "tab-not-found": 404,
  "tool-ambiguous": 409,
  "key-conflict": 409,
  "input-invalid": 422,
  "calls-too-many": 429,
  "body-too-large": 413,
  "going-away": 503,
};

/**
 * Writes how a call ended as the answer to a request: the status, and one JSON object. The page's own text comes first,
 * and after it each field that an answer can have: whatever a hostile page's text holds, in a JSON object the last
 * field of a name wins.
 */
export function answerCall(response: ServerResponse, outcome: Outcome): void {
  if (response.destroyed) return;
  const { payload, code, retryAfter } = outcome;
  if (payload !== undefined)
    return sendParts(response, { status: 200, parts: ['{"result":', orNull(payload), `,${fieldsOf(outcome)}}`] });
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(Math.ceil(retryAfter / 1000)) };
  sendParts(response, {
    status: (code && statusOfCode[code]) ?? statusOf[outcome.outcome],
    parts: [`{${fieldsOf(outcome)}}`],
    headers,
  });
}

function fieldsOf({ outcome, ran, code, message, replay = false }: Outcome): string {
  const error = code === undefined ? "null" : JSON.stringify({ code, message });
  return `"error":${error},"outcome":"${outcome}","ran":"${ran}","replay":${replay}`;
}

/** A page may send a result with nothing in it. */
function orNull(payload: Payload): Payload {
  return payload.length === 0 ? "null" : payload;
}
