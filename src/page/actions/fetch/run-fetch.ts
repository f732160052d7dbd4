// Sends one request for a program: policy check, user consent, fetch, bounded read.
import { PagewireError, fieldsKey, messageOf } from "../../../wire/index.ts";
import type { CallToolResult } from "../../../wire/index.ts";
import { markUndone } from "../registration/action.ts";
import type { ActionContext } from "../registration/action.ts";
import { askConsent, isAllowed } from "./ask-consent.ts";
import type { AskPerson } from "./ask-consent.ts";
import { checkRequest } from "./check-request.ts";
import type { CheckedRequest, FetchInput } from "./check-request.ts";
import { checkUrl } from "./check-url.ts";
import type { FetchPlace } from "./check-url.ts";
import { refusal } from "./fetch-policy.ts";
import type { FetchRules } from "./fetch-policy.ts";
import { base64Of } from "./base64.ts";

/** The browser features that a run needs. */
export interface FetchPowers {
  fetch(url: URL, init: RequestInit): Promise<Response>;
  readonly location: Pick<Location, "origin" | "href">;
  readonly ask: AskPerson;
}

export interface FetchRun {
  readonly rules: FetchRules;
  readonly powers: FetchPowers;
}

export async function runFetch(
  input: FetchInput,
  { signal, agent, hub }: ActionContext,
  { rules, powers }: FetchRun,
): Promise<CallToolResult> {
  const { origin, href } = powers.location;
  const place = { origin, href, hub };
  const request = await unlessSent(signal, async () => {
    const checked = checkRequest(input, rules, place);
    await askConsent(checked, rules.ask, { agent, signal, ask: powers.ask });
    return checked;
  });
  signal.throwIfAborted();
  const time = AbortSignal.timeout(rules.timeout);
  try {
    const both = AbortSignal.any([signal, time]);
    const response = await powers.fetch(request.url, requestOf(request, rules, both));
    checkRedirect(response, request, { rules, place });
    return resultOf(response, await readBody(response, rules.maxResponseBytes), rules);
  } catch (error) {
    signal.throwIfAborted();
    if (time.aborted) throw refusal("timeout", `${request.url.origin} did not answer in ${rules.timeout} ms.`);
    if (PagewireError.isInstance(error)) throw error;
    throw new PagewireError("action-unavailable", failed(request, error));
  }
}

/** Runs the steps before the request: a refusal of theirs says that nothing was sent. */
async function unlessSent<Value>(signal: AbortSignal, steps: () => Promise<Value>): Promise<Value> {
  try {
    return await steps();
  } catch (error) {
    signal.throwIfAborted();
    throw PagewireError.isInstance(error) ? markUndone(error) : error;
  }
}

function requestOf(request: CheckedRequest, rules: FetchRules, signal: AbortSignal): RequestInit {
  const { method, headers, body, credentials, isOwn } = request;
  return {
    method,
    headers,
    body: body ?? null,
    credentials,
    signal,
    // From the page's own origin the browser follows no redirect away.
    mode: isOwn ? "same-origin" : "cors",
    // With "error", a redirect would look the same as a network failure.
    redirect: rules.redirects === "follow" ? "follow" : "manual",
  };
}

interface RedirectRules {
  readonly rules: FetchRules;
  readonly place: FetchPlace;
}

function checkRedirect(response: Response, request: CheckedRequest, { rules, place }: RedirectRules): void {
  if (response.type === "opaqueredirect") {
    throw refusal("redirects", "the answer is a redirect, and none is followed.");
  }
  if (!response.redirected) return;
  try {
    const url = checkUrl(response.url, rules, place);
    if (url.origin === request.url.origin || rules.ask === "never") return;
    if (rules.ask === "first" && isAllowed({ ...request, url })) return;
    throw refusal("ask", `the person was not asked about ${url.origin}. Fetch it by itself.`);
  } catch (error) {
    throw refusal("redirects", `it was redirected to where it may not go. ${messageOf(error)}`);
  }
}

function failed({ url, isOwn }: CheckedRequest, error: unknown): string {
  const why = isOwn
    ? "The server cannot be reached, or redirects to another origin"
    : "The server cannot be reached, or does not let this page read what it answers (CORS)";
  return `The browser could not fetch ${url.href}: ${messageOf(error)}. ${why}, or the page's Content-Security-Policy forbids it.`;
}

function resultOf(response: Response, { body, encoding, size }: ReadBody, { agents }: FetchRules): CallToolResult {
  const { status, statusText, url } = response;
  const headers = Object.fromEntries(response.headers);
  const line = `Status: ${status}`;
  // A program in a terminal receives the fields; an agent's model may read only the text.
  const text =
    agents === "terminal" ? `${line}, ${size} B` : `${line}\n\n${encoding === "utf8" ? body : `(binary, ${size} B)`}`;
  return {
    content: [{ type: "text", text }],
    structuredContent: { status, statusText, url, headers, body, encoding },
    _meta: { [fieldsKey]: true },
  };
}

/** A body as JSON can hold it: text if the bytes are valid UTF-8, else base64. */
interface ReadBody {
  readonly body: string;
  readonly encoding: "utf8" | "base64";
  readonly size: number;
}

/** Reads a response, and stops reading at the limit. */
async function readBody(response: Response, maxBytes: number): Promise<ReadBody> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    size += read.value.length;
    parts.push(read.value);
    if (size <= maxBytes) continue;
    await reader?.cancel();
    throw refusal("maxResponseBytes", `the answer has more than ${maxBytes} bytes.`);
  }
  const bytes = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
  try {
    const body = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { body, encoding: "utf8", size };
  } catch {
    return { body: base64Of(bytes), encoding: "base64", size };
  }
}
