// One request to a hub's HTTP door.
import { PagewireError, isErrorCode, isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { isTokenRefused } from "../contexts/context-token.ts";
import { hubAddress } from "./find-hub.ts";
import { noAnswer } from "./no-answer.ts";
import { sendOverHttp } from "./send-over-http.ts";
import type { ProvenHub } from "../../hub-client/index.ts";

export interface HubRequest {
  readonly url: string;
  readonly token: string;
  /** Another token, after the hub refused this one. */
  renewed?(refused: string): Promise<string>;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** A text is sent as it is, and must be JSON. */
  readonly body?: JsonObject | string;
  /** In milliseconds; 5,000 by default. */
  readonly timeout?: number;
  /** Max characters of the answer; a million by default. */
  readonly most?: number;
}

const answerTimeout = 5000;
const maxAnswerLength = 1024 * 1024;
const maxAnswerDepth = 16;

/** The advice after a refusal with `scope-needed`, whose message names the scope. */
export function signInForScope(message: string): string {
  const [, scope = "SCOPE"] = /the scope ([\w:]+)/.exec(message) ?? [];
  return ` Sign in for it with: npx pagewire login --scope ${scope}`;
}

/** The advice after a refusal, by its code. */
const advice: Readonly<Record<string, (message: string) => string>> = {
  "scope-needed": signInForScope,
  "admin-needed": () => " Your groups, by which the hub knows those, are shown by: npx pagewire whoami",
};

/** Resolves with the hub's response; rejects with the hub's error, or with why there is no hub. */
export async function askHub(asked: HubRequest): Promise<JsonObject> {
  try {
    return await askOnce(asked);
  } catch (error) {
    const { renewed, token, ...rest } = asked;
    if (!renewed || !PagewireError.isInstance(error) || !isTokenRefused(error.code)) throw error;
    return askOnce({ ...rest, token: await renewed(token) });
  }
}

async function askOnce(asked: HubRequest): Promise<JsonObject> {
  const base = hubAddress(asked.url);
  const { status, text } = await send(base, asked).catch((error: unknown) => {
    throw noAnswer(base, error);
  });
  const answer = status === 204 ? {} : parseJsonObject(text, maxAnswerDepth);
  if (status >= 200 && status < 300 && answer) return answer;
  throw refusalIn(answer) ?? new PagewireError("hub-unreachable", notAHub(base, status));
}

/** The hub's refusal in an answer; undefined if it is none. */
export function refusalIn(answer: JsonObject | undefined): PagewireError | undefined {
  const { code, message } = isJsonObject(answer?.["error"]) ? answer["error"] : {};
  if (!isErrorCode(code) || typeof message !== "string") return undefined;
  return new PagewireError(code, message + (advice[code]?.(message) ?? ""));
}

function notAHub(base: string, status: number): string {
  return `Something answers at ${base}, but not as a hub: it says ${status}.`;
}

async function send(
  base: string,
  { token, method, path, body, timeout = answerTimeout, most = maxAnswerLength }: HubRequest,
): Promise<{ status: number; text: string }> {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const response = await sendOverHttp(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...type },
    body: typeof body === "string" ? body : body && JSON.stringify(body),
    timeout,
  });
  let text = "";
  for await (const part of response.setEncoding("utf8") as AsyncIterable<string>) {
    text += part;
    if (text.length > most) throw new Error("the answer does not end");
  }
  return { status: response.statusCode ?? 0, text };
}

/** An address of the hub's own pages that signs in the first person to open it. */
interface SignInAddress {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A code that allows a page to open terminals. */
export interface ShellCode {
  readonly code: string;
  /** The address of the hub's page with a terminal, where the code is for that. */
  readonly url?: string;
  /** The origin whose pages may use it, if that is not the hub's own. */
  readonly origin?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Has a hub make a code for its own page with a terminal, or for the pages of another origin. */
export async function askForShellCode(hub: ProvenHub, origin: string | undefined): Promise<ShellCode> {
  const body = origin === undefined ? {} : { body: { origin } };
  const answer = await askHub({ ...hub, method: "POST", path: "/api/shell-codes", ...body });
  const { code, expiresAt } = answer;
  if (typeof code !== "string" || typeof expiresAt !== "number")
    throw new PagewireError("hub-unreachable", `Something answers at ${hub.url}, but not as a hub.`);
  if (typeof answer["origin"] === "string") return { code, origin: answer["origin"], expiresAt };
  // By the name that the hub is known by here, as for its other pages.
  const own = origin ?? new URL(hub.url).origin;
  return { code, url: `${own}/terminal#code=${code}`, expiresAt };
}

interface CodeOptions {
  /** The hub's page to open with it; its home by default. */
  readonly page?: string;
  /** Whether it signs in the hub's owner, for which the token is the shell key. */
  readonly isOwners?: boolean;
  /** In jwt mode: the user's token for terminals, which shows that it is the user in person. */
  readonly person?: string | undefined;
}

/** Requests a one-time code from a hub, for the user of this token. */
export async function askForCode(
  hub: ProvenHub,
  { page = "/", isOwners = false, person }: CodeOptions = {},
): Promise<SignInAddress> {
  const path = isOwners ? "/api/owner-codes" : "/api/codes";
  const { code, expiresAt } = await askHub({ ...hub, method: "POST", path, ...(person && { body: { person } }) });
  if (typeof code !== "string" || typeof expiresAt !== "number")
    throw new PagewireError("hub-unreachable", `Something answers at ${hub.url}, but not as a hub.`);
  // By the name that the hub is known by here, which the page's origin will be.
  return { url: `${new URL(hub.url).origin}${page}#code=${code}`, expiresAt };
}
