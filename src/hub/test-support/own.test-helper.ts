// A page of the hub's own as the hub sees one: it asks by HTTP, with its origin and the token of whoever signed in.
import type { TestHub } from "./hub.test-helper.ts";

export interface OwnAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** What was answered, as JSON; undefined where nothing was. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface OwnRequest {
  readonly token?: string;
  /** Undefined for a program's. */
  readonly origin?: string | undefined;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Door = Pick<TestHub, "url">;

/** Asks, as `"GET /api/app"`. */
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

/** A one-time code, as an agent gets one. */
export async function mintCode(hub: Door, token: string): Promise<string> {
  const { body } = await askOwn(hub, "POST /api/codes", { token, origin: undefined });
  return String(body?.["code"]);
}

/** What comes of a code. */
export function exchange(hub: Door, code: string): Promise<OwnAnswer> {
  return askOwn(hub, "POST /api/sign-in", { body: JSON.stringify({ code }) });
}

/** The token of a page that an agent's token signed in. */
export async function signIn(hub: Door, token: string): Promise<string> {
  const { body } = await exchange(hub, await mintCode(hub, token));
  return String(body?.["token"]);
}

/** The code of the error that was answered. */
export function errorOf({ status, body }: OwnAnswer): readonly [status: number, code: unknown] {
  return [status, (body?.["error"] as { code?: string } | undefined)?.code];
}
