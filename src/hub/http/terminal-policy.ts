import { sayable } from "./window-policy.ts";

/** What the hub's page with a terminal may do, and who may get at it. */
export function terminalHeaders(host: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // xterm's DOM renderer writes colours and the sizes of cells into style elements of its own, and on its elements.
    // No other page of the hub may do that.
    "style-src 'self' 'unsafe-inline'",
    `connect-src ${sayable(["'self'", `ws://${host}`, `wss://${host}`]).join(" ")}`,
    "img-src 'self' data: blob:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  // A page that opened this one could else move the focus here while its user types.
  return { "Content-Security-Policy": policy, "Cross-Origin-Opener-Policy": "same-origin" };
}
