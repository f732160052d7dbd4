import { messageOf } from "../wire/index.ts";

/** Advice by the browser's error message. The first match counts. */
const advice: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /duplicate|already/i,
    "Another script of this page registered a tool of this name: rename one of them, or give a server's a `prefix`.",
  ],
  [/tool name/i, "A name is 1 to 128 letters, digits, dots, dashes or underscores."],
  [/secure origins/i, 'Tools can be exposed to secure origins only, each such as "https://agent.example".'],
  [/NotAllowedError/, 'A Permissions-Policy keeps this page from it: a frame needs allow="tools".'],
  [/SecurityError/, 'The page must be origin-keyed: its server must not send "Origin-Agent-Cluster: ?0".'],
];

/** The browser's reason for refusing a tool, with advice. */
export function whyRefused(error: unknown): string {
  const text = messageOf(error);
  const [, next] = advice.find(([pattern]) => pattern.test(`${nameOf(error)} ${text}`)) ?? [];
  return next ? `The browser says: ${text.replace(/\.?$/, ".")} ${next}` : `The browser says: ${text}`;
}

/** An error from a frame is not an instance of this window's Error. */
function nameOf(error: unknown): string {
  try {
    return String((Object(error) as { readonly name?: unknown }).name);
  } catch {
    return "";
  }
}
