/** A header has no room for more. A page beyond them can still open the window, though not frame it. */
const mostBytes = 8192;

/** What the agent's window may do, and whose pages may frame it, in the words of a Content-Security-Policy. */
export function windowPolicy(host: string, parents: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${sayable(["'self'", `ws://${host}`, `wss://${host}`]).join(" ")}`,
    "img-src 'self' data: blob:",
    `frame-ancestors ${asManyAsFit(["'self'", ...parents.filter(canBeNamed)])}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** A policy has no words for an IPv6 address, and every window's console would say so. */
function canBeNamed(origin: string): boolean {
  return !origin.includes("[");
}

/** A policy has no form for IPv6 addresses, and browsers complain of them. */
export function sayable(sources: readonly string[]): readonly string[] {
  return sources.filter((source) => !source.includes("["));
}

function asManyAsFit(sources: readonly string[]): string {
  let text = "";
  for (const source of sources) if (text.length + source.length < mostBytes) text += ` ${source}`;
  return text.trimStart();
}

/** Those of the allowed origins that a page can have which opens a window, each once. */
export function parentOrigins(allowed: readonly string[]): readonly string[] {
  return [...new Set(allowed)].filter((origin) => {
    // A text of any other form, or with a wildcard or an end of what is said there, would say more in a header than it should.
    return /^https?:[^*;,]+$/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin;
  });
}
