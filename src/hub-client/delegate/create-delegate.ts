import { systemClock } from "../../link/index.ts";
import {
  PagewireError,
  identifierPattern,
  itemNamePattern,
  messageOf,
  parseJsonObject,
  parseTrace,
  resolveLimits,
} from "../../wire/index.ts";
import type { JsonObject, Limits } from "../../wire/index.ts";
import { activeTrace } from "../active-trace.ts";
import { hubAddress } from "../hub-address.ts";
import { proveHub } from "../prove-hub.ts";
import type { ProveHubOptions } from "../prove-hub.ts";
import { DelegateError } from "./delegate.ts";
import type { DelegateResponse } from "../hub-client.ts";
import type { Delegate, DelegateCallOptions, DelegateOptions, DelegateResult } from "./delegate.ts";
import { readActions, readFailure, readLine, readResult, unreadable } from "./read-answer.ts";
import { readAll, readLines } from "./read-body.ts";
import { cutShort, sendRequest } from "./send-request.ts";
import type { Sent } from "./send-request.ts";

const PATH = "/api/browser-delegate";
/** How much longer than the action's timeout to wait for the hub, which knows the outcome better. */
const LAST_WORD_TIME = 10_000;

/** Connects programs in a terminal to the terminal's tab. Nothing is sent before the first call. */
export function createDelegate(options: DelegateOptions): Delegate {
  const { clock = systemClock, token, browserId, fetch: given } = options;
  const send: NonNullable<DelegateOptions["fetch"]> = given ?? ((url, request) => fetch(url, request));
  const limits = resolveLimits(options.limits);
  const url = hubAddress(options.url);
  const request = async (more: Pick<Sent, "path" | "signal" | "timeout"> & Partial<Sent>): Promise<Sent> => {
    const brought = typeof token === "string" ? token : token();
    const authorization = authorize(brought);
    const proven = await proveTerminals({ url, token: brought, fetch: send, relayTo: options.relayTo });
    return { fetch: send, clock, url: proven.url, ...more, headers: { authorization, ...more.headers } };
  };

  return {
    async call(action, args = {}, call = {}) {
      const { signal, onChunk, onProgress } = call;
      const streams = onChunk !== undefined || onProgress !== undefined;
      const id = typeof browserId === "string" ? browserId : await browserId();
      const { body, headers } = describeCall({ action, browserId: id, args });
      const timeout = Math.min(call.timeout ?? limits.callTimeMost, limits.callTimeMost) + LAST_WORD_TIME;
      const path = streams ? `${PATH}/stream` : PATH;
      const sent = await request({ path, body, signal, timeout, headers: { ...headersOf(call), ...headers } });
      return sendRequest(sent, async (response, received) => {
        if (response.status !== 200) throw await refusal(response, url, limits);
        return streams ? readStream(response, { call, limits, received }) : readAnswer(response, limits);
      });
    },
    async actions({ signal } = {}) {
      const sent = await request({ path: `${PATH}/actions`, signal, timeout: limits.delegateTime + LAST_WORD_TIME });
      return sendRequest(sent, async (response) => {
        if (response.status !== 200) throw await refusal(response, url, limits);
        const actions = readActions(await readJson(response, limits));
        if (actions === undefined) throw unreadable("The hub does not say what the tab can do.");
        return actions;
      });
    },
  };
}

/** Only a hub of Pagewire issues tokens of this form, and proves itself to their holders. */
const terminalToken = /^pagewire-terminal\./;

/** Makes the hub prove that it knows the terminal before the terminal's token is sent to it. */
async function proveTerminals(hub: ProveHubOptions): Promise<Pick<ProveHubOptions, "url">> {
  if (!terminalToken.test(hub.token)) return hub;
  try {
    return await proveHub({ ...hub, secret: "given" });
  } catch (error) {
    if (!PagewireError.isInstance(error)) throw error;
    throw new DelegateError(error.code, error.message, { ran: "no", cause: error });
  }
}

/** An invalid token is not part of the error: it may be a real one with something added by mistake. */
function authorize(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return `Bearer ${token}`;
  throw refused(
    "The token is not one word of printable characters. In a terminal it is what this prints: pagewire workspace-token",
  );
}

function headersOf({ timeout, key, trace, onProgress }: DelegateCallOptions): Record<string, string> {
  if (timeout !== undefined && !(timeout > 0))
    throw refused(`The timeout must be more than 0 milliseconds, not ${timeout}.`);
  if (key !== undefined && !identifierPattern.test(key))
    throw refused(`The key ${JSON.stringify(key)} is not 1 to 128 printable characters without spaces.`);
  const { traceparent, tracestate } = parseTrace(trace) ?? activeTrace() ?? {};
  return {
    "content-type": "application/json",
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(timeout === undefined ? {} : { "pagewire-timeout": String(timeout / 1000) }),
    ...(key === undefined ? {} : { "idempotency-key": key }),
    ...(onProgress === undefined ? {} : { "pagewire-progress": "1" }),
  };
}

interface Asked {
  readonly action: string;
  readonly browserId: string;
  readonly args: JsonObject;
}

/** The headers and body of a call. Names go into headers if the action has arguments with the same names. */
function describeCall({ action, browserId, args }: Asked): Pick<Sent, "headers"> & { readonly body: string } {
  if (!itemNamePattern.test(action))
    throw new DelegateError("tool-not-found", `Unknown action: ${action.slice(0, 128)}`, { ran: "no" });
  if (!identifierPattern.test(browserId))
    throw refused(
      `The browser id ${JSON.stringify(browserId.slice(0, 128))} is not what this prints: pagewire browser-id`,
    );
  const isClear = !Object.hasOwn(args, "action") && !Object.hasOwn(args, "browser_id");
  const names = { "pagewire-action": action, "pagewire-browser-id": browserId };
  try {
    const body = JSON.stringify(isClear ? { action, browser_id: browserId, ...args } : args);
    return { body, headers: isClear ? {} : names };
  } catch (error) {
    const message = `The arguments cannot be written as JSON: ${messageOf(error)}`;
    throw new DelegateError("arguments-malformed", message, { ran: "no", cause: error });
  }
}

function refused(message: string): DelegateError {
  return new DelegateError("options-invalid", message, { ran: "no" });
}

async function readJson({ body }: DelegateResponse, limits: Limits): Promise<JsonObject | undefined> {
  const text = await readAll(body, limits.frameBytes).catch((error: unknown) => {
    throw PagewireError.isInstance(error) ? error : cutShort(error);
  });
  return parseJsonObject(text, limits.jsonDepth);
}

async function refusal(response: DelegateResponse, url: string, limits: Limits): Promise<DelegateError> {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const answer = await readJson(response, limits);
  const failure = readFailure(answer, Number.isFinite(seconds) ? seconds * 1000 : undefined);
  const message = `Something answers at ${url}, but not as a hub: it says ${response.status}.`;
  return failure ?? new DelegateError("hub-unreachable", message, { ran: "maybe" });
}

async function readAnswer(response: DelegateResponse, limits: Limits): Promise<DelegateResult> {
  const result = readResult(await readJson(response, limits));
  if (result === undefined) throw unreadable("The hub's answer is none: it is no JSON object, or nests too deep.");
  return result;
}

interface Reading {
  readonly call: DelegateCallOptions;
  readonly limits: Limits;
  readonly received: () => void;
}

async function readStream({ body }: DelegateResponse, { call, limits, received }: Reading): Promise<DelegateResult> {
  for await (const text of linesOf(body, limits, received)) {
    const line = readLine(text, limits.jsonDepth);
    if (line?.type === "chunk") call.onChunk?.(line.delta);
    if (line?.type === "progress") call.onProgress?.(line.progress);
    if (line?.type === "error") throw line.error;
    if (line?.type === "done") return line.result;
  }
  throw cutShort("the stream ended before its end arrived");
}

/** The lines of a stream; separates errors of the connection from those of the listener. */
async function* linesOf(
  body: DelegateResponse["body"],
  { frameBytes }: Limits,
  received: () => void,
): AsyncGenerator<string> {
  try {
    yield* readLines(body, frameBytes, received);
  } catch (error) {
    throw PagewireError.isInstance(error) ? error : cutShort(error);
  }
}
