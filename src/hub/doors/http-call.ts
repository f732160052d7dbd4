// The simplest door: one POST is one call. `POST /api/call/<tool>`, with the arguments as the body.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { PagewireError, identifierPattern } from "../../wire/index.ts";
import type { ErrorCode, Outcome, OutcomeName } from "../../wire/index.ts";
import type { CallHandle } from "../../switchboard/index.ts";
import type { Passed } from "../guard/guard.ts";
import { checkJson, limitReading, pathOf, readBody, retryHeaders, sendParts, whetherRead } from "../http/exchange.ts";
import { challengeOf, createCallers, createOpenAnswers } from "./callers.ts";
import type { Door } from "./door.ts";

/** Agents of this door have no session: equal credential and name mean one agent. */
export interface HttpCallDoor {
  /** The number of unfinished requests. */
  readonly open: number;
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
  /** Disconnects callers whose credential is no longer valid. */
  review(): void;
}

const prefix = "/api/call/";

/**
 * Small arguments are passed on as text, which is three times as fast to put into a frame; larger ones are not copied.
 */
const mostText = 16_384;

export function createHttpCallDoor(door: Door): HttpCallDoor {
  const { limits } = door;
  const callers = createCallers(door.switchboard, { door: "http", max: limits.mcpSessions });
  const answers = createOpenAnswers(door);

  return {
    get open() {
      return answers.passing;
    },
    serve(request, response, { admitted }) {
      if (!admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
      checkJson(request, "The arguments of a call");
      const { headers } = request;
      const agent = { name: (headers["user-agent"] ?? "http").slice(0, 128) };
      const path = pathOf(request).slice(prefix.length);
      const name = path.includes("%") ? decode(path) : path;
      const tab = headerOf(headers, "Pagewire-Tab");
      const key = headerOf(headers, "Idempotency-Key");
      const left = timeOf(headers);
      const trace = door.readTrace(headers);
      let handle: CallHandle | undefined;
      const leave = (isRead: boolean) => (isRead ? handle?.received() : handle?.cut());
      answers.add(response, admitted, (isSent) => whetherRead(response, isSent, leave));
      return readBody(request, limits.frameBytes, { arrivals: door.arrivals, whose: admitted }).then((body) => {
        const given = body.length <= mostText ? body.toString() : body;
        // No spread: in V8 each property added after one creates a new hidden class in old space, on every call.
        handle = callers.of(admitted, agent).call(
          { method: "tools/call", name, tab, key, left, arguments: given, trace, refusal: door.refusal() },
          {
            ended(outcome) {
              if (!response.destroyed) answerCall(response, outcome, challengeOf(door, outcome, admitted));
              answers.unread(response);
              limitReading(response, limits.requestTime);
            },
          },
        );
        if (response.closed) handle.cut();
      });
    },
    review: answers.review,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PagewireError("request-malformed", "The tool's name in the path is not percent-encoded UTF-8.");
  }
}

/** An identifier in a header; an invalid one is refused. */
export function headerOf(headers: IncomingHttpHeaders, name: "Pagewire-Tab" | "Idempotency-Key"): string | undefined {
  const value = headers[name.toLowerCase()];
  if (value === undefined || (typeof value === "string" && identifierPattern.test(value))) return value;
  throw new PagewireError("request-malformed", `${name} must be 1 to 128 printable characters without spaces.`);
}

/** The caller's deadline in milliseconds, if it sets one. */
export function timeOf(headers: IncomingHttpHeaders): number | undefined {
  const seconds = headers["pagewire-timeout"];
  const milliseconds = seconds === undefined ? undefined : Number(seconds) * 1000;
  if (milliseconds === undefined || milliseconds > 0) return milliseconds;
  throw new PagewireError("request-malformed", "Pagewire-Timeout must be a number of seconds.");
}

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
  "scope-needed": 403,
  "policy-denied": 403,
  "policy-unasked": 403,
  "policy-declined": 403,
  "action-refused": 403,
  "policy-rate": 429,
  "body-too-large": 413,
  "going-away": 503,
  "not-saved": 503,
  "bus-unavailable": 503,
};

/**
 * Answers with a call's outcome: the status, and one JSON object. The page's own text comes first, followed by every
 * field that an answer can have: in a JSON object the last field of a name wins, so hostile text cannot override them.
 */
function answerCall(response: ServerResponse, ended: Outcome, challenge: Readonly<Record<string, string>> | undefined) {
  const { outcome, ran, payload, code, message, retryAfter, replay = false, notSaved = false } = ended;
  const error = code === undefined ? "null" : JSON.stringify({ code, message });
  const fields = `"error":${error},"outcome":"${outcome}","ran":"${ran}","replay":${replay},"notSaved":${notSaved}`;
  if (payload !== undefined) {
    // A page may send an empty result.
    const result = payload.length === 0 ? "null" : payload;
    return sendParts(response, { status: 200, parts: ['{"result":', result, `,${fields}}`] });
  }
  const headers = { ...retryHeaders(retryAfter), ...challenge };
  sendParts(response, { status: (code && statusOfCode[code]) ?? statusOf[outcome], parts: [`{${fields}}`], headers });
}
