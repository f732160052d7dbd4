// The errors a client gets for failed requests, each with whether a retry is safe.
import { PagewireError, defaultLimits, isErrorCode, isJsonObject, messageOf, parseJson } from "../../wire/index.ts";
import type { ErrorCode, Json, Ran } from "../../wire/index.ts";
import { metaOf } from "./message.ts";
import type { RequestId, RequestMessage } from "./message.ts";

/** A JSON-RPC error. */
export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/** The first of the codes that JSON-RPC leaves to servers. */
const serverError = -32_000;

export function errorAnswer(id: RequestId | null, { code, message, data }: Failure): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

/** An error with a code of Pagewire's own. */
export function namedFailure(message: string, code: ErrorCode, ran: Ran): Failure {
  return { code: serverError, message, data: { "pagewire/code": code, "pagewire/ran": ran } };
}

export class RefusedByHub extends Error {
  readonly failure: Failure;
  readonly status: number;

  constructor(status: number, body: string) {
    const failure = refusalOf(status, body);
    super(failure.message);
    this.failure = failure;
    this.status = status;
  }
}

export function failureOf(error: unknown, request: RequestMessage): Failure {
  if (error instanceof RefusedByHub) return error.failure;
  if (PagewireError.isInstance(error)) {
    const isUnsent = error.code === "hub-unreachable" || error.code === "hub-not-proven";
    const first = isUnsent ? "The request was not sent, so it is safe to make it again. " : "";
    return namedFailure(first + error.message, error.code, "no");
  }
  return cutOff(messageOf(error), request);
}

/** The hub received the request, or may have, but will not answer any more. */
function cutOff(why: string, request: RequestMessage): Failure {
  const { method, params } = request;
  if (method !== "tools/call") {
    const message = `The connection to the hub broke before ${method} was answered (${why}). It is safe to try again.`;
    return namedFailure(message, "hub-unreachable", "maybe");
  }
  const what = `The connection to the hub broke while the tool ${JSON.stringify(params["name"] ?? "")} was called (${why}). It may have run.`;
  const next = hasKey(request)
    ? "It is safe to call it again with the same idempotency key: it will not run twice."
    : "It is not safe to simply call it again: look at the page first.";
  return namedFailure(`${what} ${next}`, "outcome-unknown", "maybe");
}

function hasKey(request: RequestMessage): boolean {
  return [request.params["idempotencyKey"], metaOf(request, "pagewire/idempotencyKey")].some(
    (key) => typeof key === "string",
  );
}

/** Maps an HTTP refusal to a JSON-RPC error. */
function refusalOf(status: number, body: string): Failure {
  const value = parseJson(body, defaultLimits.jsonDepth);
  const error = isJsonObject(value) && isJsonObject(value["error"]) ? value["error"] : {};
  const { code, message } = error;
  if (typeof code === "number" && typeof message === "string") {
    return { code, message, ...(error["data"] === undefined ? {} : { data: error["data"] }) };
  }
  if (isErrorCode(code) && typeof message === "string") {
    return namedFailure(`${message}${nextSteps[code] ?? ""}`, code, code === "internal-error" ? "maybe" : "no");
  }
  return namedFailure(
    `What answers there is not a hub: it said HTTP ${status}. See: npx pagewire doctor`,
    "hub-unreachable",
    status < 500 ? "no" : "maybe",
  );
}

const nextSteps: { readonly [Code in ErrorCode]?: string } = {
  "tab-not-found": " See which there are with: npx pagewire tabs",
  "token-invalid": " Look what is wrong with: npx pagewire doctor",
  "scope-needed":
    " After a sign-in by the command line, sign in for it with: npx pagewire login --context NAME --scope SCOPE",
  "token-expired": " Put a new token into PAGEWIRE_TOKEN, and start this command again.",
};
