// One of the hub's own pages, from the hub's point of view: HTTP requests with its origin and the signed-in user's
// token.
import type { TestHub } from "./hub.test-helper.ts";

export interface OwnAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON body; undefined if it is empty. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface OwnRequest {
  readonly token?: string;
  /** Undefined for a program. */
  readonly origin?: string | undefined;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Door = Pick<TestHub, "url">;

/** Sends a request such as `"GET /api/app"`. */
export async function askOwn({ url }: Door, asked: string, request: OwnRequest = {}): Promise<OwnAnswer> {
  const [method = "", path = ""] = asked.split(" ");
  const { token, origin = "origin" in request ? undefined : url, body, headers = {} } = request;
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(origin === undefined ? {} : { Origin: origin }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  const text = await response.text();
  const { status } = response;
  return { status, headers: response.headers, body: text === "" ? undefined : (JSON.parse(text) as OwnAnswer["body"]) };
}

/** A one-time code, as an agent gets it. */
export async function mintCode(hub: Door, token: string): Promise<string> {
  const { body } = await askOwn(hub, "POST /api/codes", { token, origin: undefined });
  return String(body?.["code"]);
}

export function exchange(hub: Door, code: string): Promise<OwnAnswer> {
  return askOwn(hub, "POST /api/sign-in", { body: JSON.stringify({ code }) });
}

/** The token of a page that was signed in with an agent's token. */
export async function signIn(hub: Door, token: string): Promise<string> {
  const { body } = await exchange(hub, await mintCode(hub, token));
  return String(body?.["token"]);
}

export function errorOf({ status, body }: OwnAnswer): readonly [status: number, code: unknown] {
  return [status, (body?.["error"] as { code?: string } | undefined)?.code];
}
