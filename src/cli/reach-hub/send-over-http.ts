// How the command sends HTTP requests. Node's own fetch refuses some ports, and gives up after five minutes of silence:
// a user who is asked for a password may take longer.
import { request as requestOverHttp } from "node:http";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { request as requestOverHttps } from "node:https";
import { Readable } from "node:stream";
import type { DelegateFetch } from "../../hub-client/index.ts";
import { messageOf } from "../../wire/index.ts";

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
  const { body, timeout = 0, ...options } = asked;
  const request = new URL(url).protocol === "https:" ? requestOverHttps : requestOverHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, timeout }, resolve);
    sent.on("timeout", () => sent.destroy(new Error(`nothing came within ${timeout / 1000} seconds`)));
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The start of a message about a certificate. */
export const untrusted = "Its certificate is not trusted here: ";

const unknownAuthority =
  "If its authority is your own, name the file with that authority's certificate: NODE_EXTRA_CA_CERTS=ca.pem";
const otherName = "Use the name that the certificate is for, one of the hub's --public-host.";
const ended = "The hub needs a renewed certificate in the files of --tls-cert and --tls-key, or its proxy does.";

/** By Node's error codes. */
const adviceFor: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  CERT_HAS_EXPIRED: ended,
  CERT_NOT_YET_VALID: ended,
};

/**
 * Why TLS does not trust a certificate in this program, and what its user can do; undefined if a connection failed for
 * another reason.
 */
export function certificateProblem(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const advice = adviceFor["code" in at ? String(at.code) : ""];
    if (advice !== undefined) return `${untrusted}${messageOf(at)}. ${advice}`;
  }
  return undefined;
}
