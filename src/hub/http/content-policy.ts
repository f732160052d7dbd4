// The Content-Security-Policy of the hub's own pages.
import { isOrigin } from "../common/is-origin.ts";

/** Node refuses larger headers. Pages beyond this limit can still open the window, but not frame it. */
const maxAncestorsLength = 8192;

export function windowPolicy(host: string, parents: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${ownSources(host)}`,
    "img-src 'self' data: blob:",
    `frame-ancestors ${joinUpToLimit(["'self'", ...parents.filter(isExpressible)])}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** The headers of the hub's console. */
export function consoleHeaders(host: string): Readonly<Record<string, string>> {
  return headersFor(host, "'self'");
}

/** The headers of the hub's page with a terminal, which may fetch from these origins. */
export function terminalHeaders(host: string, fetchOrigins: readonly string[]): Readonly<Record<string, string>> {
  // xterm's DOM renderer writes colours and cell sizes into its own style elements and attributes. No other page needs this.
  return headersFor(host, "'self' 'unsafe-inline'", fetchOrigins);
}

function headersFor(
  host: string,
  styles: string,
  fetchOrigins: readonly string[] = [],
): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    `connect-src ${[ownSources(host), ...fetchOrigins].join(" ")}`,
    "img-src 'self' data: blob:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  // Otherwise a page that opened this one could move the focus here while its user types or answers.
  return { "Content-Security-Policy": policy, "Cross-Origin-Opener-Policy": "same-origin" };
}

/** The allowed origins whose pages may open the agent's window, without duplicates. */
export function parentOrigins(allowed: readonly string[]): readonly string[] {
  // A wildcard or a separator would change the meaning of the header.
  return [...new Set(allowed)].filter((origin) => /^https?:[^*;,]+$/.test(origin) && isOrigin(origin));
}

function ownSources(host: string): string {
  return ["'self'", `ws://${host}`, `wss://${host}`].filter(isExpressible).join(" ");
}

/** A policy has no syntax for IPv6 addresses: browsers log an error for each. */
function isExpressible(source: string): boolean {
  return !source.includes("[");
}

function joinUpToLimit(sources: readonly string[]): string {
  let text = "";
  for (const source of sources) if (text.length + source.length < maxAncestorsLength) text += ` ${source}`;
  return text.trimStart();
}
