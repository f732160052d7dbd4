import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../wire/index.ts";

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

/** The names under which browsers and agents may call a hub that listens on this port. */
export function hostNames(port: number, publicHosts: readonly string[]): ReadonlySet<string> {
  return new Set([...loopbackNames.map((name) => `${name}:${port}`), ...publicHosts]);
}

/** Whether whoever asks calls the hub by a name of the machine that they are on. */
export function isByLoopbackName({ headers: { host = "" } }: IncomingMessage): boolean {
  return loopbackNames.includes(host.toLowerCase().replace(/:\d+$/, ""));
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

export function refuseHost({ headers }: IncomingMessage): never {
  const message = `This hub does not answer to the host ${JSON.stringify(headers.host ?? "")}.`;
  throw new PagewireError("host-refused", message);
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
