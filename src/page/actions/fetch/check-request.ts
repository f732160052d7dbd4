import { bytesOfBase64 } from "./base64.ts";
import { checkUrl } from "./check-url.ts";
import type { FetchPlace } from "./check-url.ts";
import type { FetchRules } from "./fetch-policy.ts";
import { refusal } from "./fetch-policy.ts";

/** A program's request. */
export interface FetchInput {
  readonly url: string;
  readonly method?: string | null;
  readonly headers?: Readonly<Record<string, string>> | null;
  readonly body?: string | null;
  readonly bodyEncoding?: "utf8" | "base64";
  readonly credentials?: "omit" | "same-origin" | "include";
}

/** A request that the page's rules allow; the user may still refuse it. */
export interface CheckedRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** Cookies are sent unless this is "omit". */
  readonly credentials: "omit" | "same-origin" | "include";
  readonly isOwn: boolean;
}

/** Reads a request; throws a refusal that names the rule which does not allow it. */
export function checkRequest(input: FetchInput, rules: FetchRules, place: FetchPlace): CheckedRequest {
  const url = checkUrl(input.url, rules, place);
  const method = (input.method ?? "GET").toUpperCase();
  if (!rules.methods.includes(method)) {
    throw refusal("methods", `${method} is not one of ${rules.methods.join(", ")}.`);
  }
  const isOwn = url.origin === place.origin;
  return {
    url,
    method,
    headers: checkHeaders(input.headers ?? {}, rules),
    body: checkBody(input, method, rules),
    credentials: checkCredentials(input, isOwn, rules),
    isOwn,
  };
}

/** Browsers set these headers themselves and silently drop the caller's values. */
const browsersOwn =
  /^(accept-(charset|encoding)|access-control-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|proxy-.*|referer|sec-.*|set-cookie|te|trailer|transfer-encoding|upgrade|via)$/;

/** These headers authenticate the caller or change what the request means. */
const guarded =
  /^(authorization|forwarded|x-forwarded-.*|x-real-ip|x-http-method(-override)?|x-method-override|x-original-url|x-rewrite-url)$/;

function checkHeaders(given: Readonly<Record<string, string>>, rules: FetchRules): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    const known = name.toLowerCase();
    if (browsersOwn.test(known)) throw refusal("headers", `only the browser itself may set the header ${name}.`);
    if (guarded.test(known) && !rules.headers.includes(known)) {
      throw refusal("headers", `the header ${name} is set by programs only where the page lists it.`);
    }
    try {
      headers.append(name, value);
    } catch {
      throw refusal("headers", `"${name}" is no name of a header, or has a value that no header can have.`);
    }
  }
  return headers;
}

function checkBody(
  { body, bodyEncoding }: FetchInput,
  method: string,
  { maxRequestBytes }: FetchRules,
): Uint8Array<ArrayBuffer> | undefined {
  if (body == null || body === "") return undefined;
  if (method === "GET" || method === "HEAD") throw refusal("body", `a ${method} request has no body.`);
  const bytes = bodyEncoding === "base64" ? bytesOfBase64(body) : new TextEncoder().encode(body);
  if (!bytes) throw refusal("body", "the body is not the base64 that `bodyEncoding` says it is.");
  if (bytes.length <= maxRequestBytes) return bytes;
  throw refusal("maxRequestBytes", `the body has ${bytes.length} bytes, and ${maxRequestBytes} is the most.`);
}

function checkCredentials(
  { credentials }: FetchInput,
  isOwn: boolean,
  rules: FetchRules,
): CheckedRequest["credentials"] {
  if (isOwn) return credentials === "omit" ? "omit" : "same-origin";
  if (credentials === "include" && rules.credentials !== "include") {
    throw refusal("credentials", "cookies go to the page's own origin only.");
  }
  // Not "same-origin", which a redirect back to this origin would make a request with cookies.
  return (credentials ?? rules.credentials) === "include" ? "include" : "omit";
}
