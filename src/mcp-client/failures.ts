// Maps the SDK's errors: whether the server received the request, and which error to throw.
import { PagewireError, isErrorCode, isJsonObject, messageOf, parseJsonObject, shortMessage } from "../wire/index.ts";
import type { ErrorCode } from "../wire/index.ts";
import { cutCode } from "./held-transport.ts";

/**
 * How a request failed: `refused` means that the server did not run it or never received it; `failed`, that it may have
 * run.
 */
export interface Failure {
  readonly kind: "refused" | "failed";
  readonly code: ErrorCode;
  readonly message: string;
}

/** JSON-RPC and MCP codes which mean that the server ran nothing. */
const refusals = [-32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022];
/** Errors of connections that were never established. */
const unreached = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];
const settledCodes: readonly string[] = [...unreached, "not-delivered" satisfies ErrorCode];

/** Classifies the rejection of a request to a server. */
export function readFailure(error: unknown, server: string): Failure {
  const { code, data } = errorFields(error);
  const message = shortMessage(messageOf(error));
  const status = statusOf(error);
  if (code === "server-unreachable" || code === "not-delivered") return undelivered(message);
  if (PagewireError.isInstance(error)) return { kind: "failed", code: error.code, message };
  if (code === "REQUEST_TIMEOUT") {
    return {
      kind: "failed",
      code: "deadline-exceeded",
      message: `The MCP server at ${server} did not answer in time.`,
    };
  }
  if (code === cutCode || code === "CONNECTION_CLOSED") {
    return unknown(`The MCP server at ${server} was lost before it answered.`);
  }
  if (typeof code === "number") return readRpcError(code, { message, data, server });
  if (status !== undefined && status < 500) {
    const why = status === 401 ? " It asks for a credential: give headers or an authProvider." : "";
    return undelivered(`The MCP server at ${server} answered ${status}.${why}`);
  }
  const cause = errorFields(errorFields(error).cause).code;
  if (unreached.includes(String(cause))) return undelivered(`No MCP server answers at ${server}.`);
  return unknown(`The request to the MCP server at ${server} failed: ${message}`);
}

function undelivered(message: string): Failure {
  return { kind: "refused", code: "not-delivered", message };
}

function unknown(message: string): Failure {
  return { kind: "failed", code: "outcome-unknown", message };
}

interface RpcError {
  readonly message: string;
  readonly data: unknown;
  readonly server: string;
}

/** A Pagewire hub adds its own error code. */
function readRpcError(rpcCode: number, { message, data, server }: RpcError): Failure {
  const marks = isJsonObject(data) ? data : {};
  const { "pagewire/code": own, "pagewire/ran": ran } = marks;
  const isRefusal = ran === undefined ? refusals.includes(rpcCode) : ran === "no";
  const code = isErrorCode(own) ? own : isRefusal ? "input-invalid" : "handler-failed";
  return { kind: isRefusal ? "refused" : "failed", code, message: `The MCP server at ${server} says: ${message}` };
}

/** The HTTP status in an error, if any. A code in the server's own error does not count. */
export function statusOf(error: unknown): number | undefined {
  const { code, data, name } = errorFields(error);
  if (name === "UnauthorizedError") return 401;
  if (typeof code === "number") return undefined;
  const status = isJsonObject(data) ? data["status"] : undefined;
  return typeof status === "number" ? status : undefined;
}

/**
 * Whether a server replied that it no longer has the session. Some use other codes than they should, and many without a
 * stream reply to a request for one that it is not found.
 */
export function isExpired(error: unknown, hadStream = false): boolean {
  if (isStreamError(error) && !hadStream) return false;
  const status = statusOf(error);
  return status === 404 || (status === 400 && /session/i.test(messageOf(error)));
}

/** Whether an HTTP status invites a retry. */
export function isPassing(status: number): boolean {
  const notImplemented = 501;
  return [408, 425, 429].includes(status) || (status >= 500 && status !== notImplemented);
}

/** Whether a request that failed may succeed later: the server was not reached, was late or busy, or failed by itself. */
export function mayPass(error: unknown): boolean {
  const { code } = errorFields(error);
  const isOwnFailure = code === "REQUEST_TIMEOUT" || code === internalError;
  return isOwnFailure || isUnanswered(error) || isPassing(statusOf(error) ?? 0);
}

const internalError = -32_603;

const busyCode = "SERVER_BUSY";

/** For `server/discover`, with the status by which the server asked to come later: the SDK drops some. */
export function busyError(status: number, cause: unknown): Error {
  const error = new Error(`The server answered ${status}.`, { cause });
  return Object.assign(error, { code: busyCode, data: { status, text: saidIn(cause) } });
}

/** Whether a server did not say what it knows, but asked to come later. */
export function isBusy(error: unknown): boolean {
  return errorFields(error).code === busyCode;
}

/** Whether a server refused `initialize` because it serves newer revisions only; servers differ in how they report it. */
export function isOtherEra(error: unknown): boolean {
  const { code, data } = errorFields(error);
  const text = isJsonObject(data) && typeof data["text"] === "string" ? data["text"] : "";
  const { code: codeInBody } = errorFields(parseJsonObject(text, deepestRefusal)?.["error"]);
  const rpcCode = typeof code === "number" ? code : codeInBody;
  return otherEraCodes.includes(Number(rpcCode)) || unsupportedVersion.test(messageOf(error));
}

/** Method not found, and MCP 2026-07-28's codes for headers, capabilities and versions. */
const otherEraCodes = [-32_601, -32_020, -32_021, -32_022];
/** The SDK's message if a server answers `initialize` with a version that does not have this request. */
const unsupportedVersion = /protocol version is not supported/i;
const deepestRefusal = 16;

/** Whether another handshake would fail, too: the server is unreachable, or wants a credential that is missing. */
export function isSettled(error: unknown): boolean {
  return statusOf(error) === 401 || causesOf(error).some(({ code }) => settledCodes.includes(String(code)));
}

/** Whether a refused handshake shows nothing of the server's age: there was no answer of its own, or one of the moment. */
export function saysNothing(error: unknown): boolean {
  const status = statusOf(error) ?? 0;
  // Servers answer what they have never heard of with 500, too.
  const isBroken = isUnanswered(error) || isUnanswered(errorFields(error).cause);
  return isSettled(error) || isBroken || (isPassing(status) && status !== 500);
}

/** Whether the connection broke before there was any answer. */
export function isUnanswered(error: unknown): boolean {
  const { code, name } = errorFields(error);
  return code === cutCode || code === "CONNECTION_CLOSED" || (name === "TypeError" && statusOf(error) === undefined);
}

function isStreamError(error: unknown): boolean {
  return errorFields(error).code === "CLIENT_HTTP_FAILED_TO_OPEN_STREAM";
}

/** Whether the server sent something unreadable. */
export function isMalformed(error: unknown): boolean {
  const { name } = errorFields(error);
  return name === "ZodError" || name === "SyntaxError";
}

/** The error for a connection that could not be made. */
export function connectError(error: unknown, server: string): PagewireError {
  if (PagewireError.isInstance(error) && (error.code === "server-unreachable" || error.code === "not-delivered"))
    return error;
  const message = `The MCP server at ${server} cannot be used: ${whyNot(error, server)}.`;
  return new PagewireError("server-unreachable", message, { cause: error });
}

/** The error of a server that does not give its notification stream. */
export function streamError(url: string, why: string, cause?: unknown): PagewireError {
  const message = `The MCP server at ${shownAddress(url)} does not give its stream of news: ${why}.`;
  return new PagewireError("server-unreachable", message, { cause });
}

export function whyNot(error: unknown, server: string): string {
  const status = statusOf(error);
  if (status === undefined) return detailOf(error, server);
  if (status === 401)
    return "it asks for a credential (401). Give headers, or an authProvider whose user signs in, and connect again";
  if (status === 403) return "it does not let this client in (403)";
  const foreignPage = foreignPageOf(server);
  if (status === 400 && isExpired(error) && foreignPage !== undefined)
    return `it wants a session whose id pages of ${foreignPage} may not read. Its CORS must expose the header Mcp-Session-Id`;
  const text = saidIn(error);
  const said = text === "" ? "" : `: ${shortMessage(text).replace(/\.$/, "")}`;
  return `it answered ${status}${said}${status === 404 ? `. ${whereElse(server)}` : ""}`;
}

/** The words in a refusal's body: text, or the message of a JSON-RPC error. */
function saidIn(error: unknown): string {
  const { data } = errorFields(error);
  const text = isJsonObject(data) && typeof data["text"] === "string" ? data["text"].trim() : "";
  const { message } = Object(parseJsonObject(text, deepestRefusal)?.["error"]) as { readonly message?: unknown };
  if (typeof message === "string") return message;
  // A web server's error page adds nothing to its status, nor does other JSON.
  return /^[<[{]/.test(text) ? "" : text;
}

function whereElse(server: string): string {
  const { pathname } = new URL(server);
  if (pathname === "/") return "Its address may lack a path, such as /mcp";
  return `The server may be there at another path${pathname === "/mcp" ? "" : ", such as /mcp"}`;
}

/** The root cause, which a failed fetch hides in `cause`. Browsers do not show it to pages. */
function detailOf(error: unknown, server: string): string {
  let at = error;
  // Our own errors need no further cause.
  while (at instanceof Error && at.cause !== undefined && !PagewireError.isInstance(at)) at = at.cause;
  const said = shortMessage(messageOf(at)).replace(/\.$/, "");
  if (!(at instanceof TypeError) || !opaque.test(said)) return said;
  const foreignPage = foreignPageOf(server);
  return `${said}: nobody answers there${foreignPage === undefined ? "" : `, or it does not let pages of ${foreignPage} in (CORS)`}`;
}

/** The origin of the current page, if it is not the server's. */
function foreignPageOf(server: string): string | undefined {
  const { origin } = globalThis as { readonly origin?: string };
  return origin === new URL(server).origin ? undefined : origin;
}

/** The browsers' messages for a request without a readable response. */
const opaque = /failed to fetch|load failed|networkerror/i;

function causesOf(error: unknown): readonly ErrorFields[] {
  const causes: ErrorFields[] = [];
  for (let at = error; at !== undefined && causes.length < deepestCause; at = errorFields(at).cause)
    causes.push(errorFields(at));
  return causes;
}

const deepestCause = 8;

type ErrorFields = { readonly [Field in "code" | "data" | "name" | "cause"]?: unknown };

function errorFields(error: unknown): ErrorFields {
  return Object(error) as ErrorFields;
}

/** An address that is safe to show: the query is removed, because it often contains a secret. */
export function shownAddress(url: string): string {
  return url.replace(/[?#].*$/s, "");
}
