// How the command sends HTTP requests. Node's own fetch refuses some ports unasked, and gives up after five minutes
// without a word: a person who is asked for a password may take longer.
import { request as requestOverHttp } from "node:http";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { request as requestOverHttps } from "node:https";

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal;
  /** Milliseconds that the other side may be silent; for as long as it likes by default. */
  readonly patience?: number;
}

/** Sends a request; resolves once its answer begins. Redirects are not followed. */
export function sendOverHttp(url: string | URL, asked: HttpRequest): Promise<IncomingMessage> {
  const { body, patience = 0, ...options } = asked;
  const request = new URL(url).protocol === "https:" ? requestOverHttps : requestOverHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, timeout: patience }, resolve);
    sent.on("timeout", () => sent.destroy(new Error(`nothing came within ${patience / 1000} seconds`)));
    sent.on("error", reject);
    sent.end(body);
  });
}
