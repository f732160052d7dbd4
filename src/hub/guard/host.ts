import type { IncomingMessage } from "node:http";

/** The names under which browsers and agents may call a hub that listens on this port. */
export function hostNames(port: number, publicHosts: readonly string[]): ReadonlySet<string> {
  const loopback = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
  return new Set([...loopback, ...publicHosts]);
}

/**
 * Whether a request names this hub as its host, exactly once and in the usual form. A page whose name was made
 * to point at this address (DNS rebinding) brings its own name here.
 */
export function isOurHost(request: IncomingMessage, names: ReadonlySet<string>): boolean {
  const { host } = request.headers;
  if (host === undefined || !names.has(host.toLowerCase())) return false;
  return request.url?.startsWith("/") === true && countOf("host", request.rawHeaders) === 1;
}

/** How often a header is there, in a list of names and values in turns. */
function countOf(wanted: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === wanted.length && name.toLowerCase() === wanted) count++;
  }
  return count;
}
