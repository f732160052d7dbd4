// How the command sends HTTP requests. Node's own fetch refuses some ports, and gives up after five minutes of silence:
// a user who is asked for a password may take longer.
import { request as requestOverHttp } from "node:http";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { request as requestOverHttps } from "node:https";
import { Readable } from "node:stream";
import type { DelegateFetch } from "../../hub-client/index.ts";

/** Like `fetch`, but waits for an answer until the signal aborts. */
export const fetchWithoutTimeout: DelegateFetch = async (url, { method, headers, body, signal }) => {
  const response = await sendOverHttp(url, { method, headers: { "user-agent": "pagewire", ...headers }, body, signal });
  return {
    status: response.statusCode ?? 0,
    headers: { get: (name) => response.headers[name.toLowerCase()]?.toString() ?? null },
    body: Readable.toWeb(response),
  };
};

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal;
  /** Max milliseconds of silence from the other side; unlimited by default. */
  readonly timeout?: number;
}

/** Sends a request; resolves once its answer starts. Does not follow redirects. */
export function sendOverHttp(url: string | URL, asked: HttpRequest): Promise<IncomingMessage> {
  const { body, timeout: patience = 0, ...options } = asked;
  const request = new URL(url).protocol === "https:" ? requestOverHttps : requestOverHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, timeout: patience }, resolve);
    sent.on("timeout", () => sent.destroy(new Error(`nothing came within ${patience / 1000} seconds`)));
    sent.on("error", reject);
    sent.end(body);
  });
}
