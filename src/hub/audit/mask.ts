// The excerpt of arguments and results that the audit keeps if the hub's owner wants it: the beginning, with secrets masked.
// Only a bounded prefix is read, so the text may be truncated anywhere, and need not be JSON.
import type { Payload } from "../../wire/index.ts";

const masked = "***";

/** Names of fields with secrets, without word separators. */
const secretName =
  /passw|passphrase|pwd|token|secret|authori[sz]ation|cookie|apikey|accesskey|privatekey|credential|sessionid/;

/** Secrets in text. Every quantifier is bounded, because a hostile page may have written the text. */
const secretTexts: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // JSON Web Tokens.
  [/\beyJ[\w-]{2,2048}\.[\w-]+(?:\.[\w-]*)*/g, masked],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${masked}`],
  // As in headers, URLs and settings files.
  [
    /\b([\w-]{0,32}(?:passw(?:or)?d|secret|token|api[-_]?key|authorization|cookie))(["']?\s{0,8}[:=]\s{0,8})[^\s&;,]+/gi,
    `$1$2${masked}`,
  ],
  // API keys with a known prefix.
  [/\b(?:sk|pk|rk|gh[opsur]|github_pat|glpat|xox[abpr]|AKIA|AIza)[-_]?[\w-]{16,}/g, masked],
  [/-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[^-]*/g, masked],
  // Credentials in a URL.
  [/:\/\/[^\s/@:]+:[^\s/@]+@/g, `://${masked}@`],
];

/** More is read than shown, because masking shortens the text. */
const readsMore = 4;

/** The masked beginning of a payload, up to a number of characters. */
export function maskedBeginning(payload: Payload, max: number): string {
  const start = payload.length > max * readsMore ? payload.slice(0, max * readsMore) : payload;
  const shown = maskJson(typeof start === "string" ? start : Buffer.from(start).toString());
  const isWhole = start.length === payload.length && shown.length <= max;
  return isWhole ? shown : `${shown.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

const between = /[^"]+/y;
/** The last string may be truncated. */
const literal = /"(?:[^"\\]|\\.)*"?/sy;
const colon = /\s*:\s*/y;
const scalar = /[^\s,:[\]{}"]+/y;
const open = /[[{]/y;

function maskJson(text: string): string {
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const [found = ""] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  };
  const skipValue = () => {
    let depth = 0;
    do {
      if (take(open)) depth++;
      else if (!take(literal) && !take(scalar)) {
        if (text[at] === "]" || text[at] === "}") depth--;
        at++;
      }
    } while (depth > 0 && at < text.length);
  };
  let shown = "";
  while (at < text.length) {
    shown += maskText(take(between));
    const string = take(literal);
    const isName = take(colon);
    shown += isName ? string + isName : maskString(string);
    if (!isName || !isSecret(string)) continue;
    skipValue();
    shown += `"${masked}"`;
  }
  return shown;
}

function isSecret(name: string): boolean {
  return secretName.test(name.toLowerCase().replaceAll(/[^a-z]/g, ""));
}

/** A string in JSON may contain JSON itself. */
function maskString(string: string): string {
  if (string === "") return string;
  const text = parsed(string) ?? parsed(`${string.replace(/\\(?:u[\da-f]{0,3})?$/i, "")}"`);
  if (text === undefined) return `"${masked}"`;
  const shown = /^\s*[[{]/.test(text) ? maskJson(text) : maskText(text);
  return shown === text ? string : JSON.stringify(shown);
}

function parsed(string: string): string | undefined {
  try {
    return JSON.parse(string) as string;
  } catch {
    return undefined;
  }
}

function maskText(text: string): string {
  return secretTexts.reduce((shown, [pattern, instead]) => shown.replace(pattern, instead), text);
}
