import { showInvisible } from "../../wire/index.ts";
import type { Notes } from "../parts/create-notes.ts";
import { make } from "../parts/make.ts";

/** A link in a terminal, and why it is suspicious. */
export interface CheckedLink {
  readonly href: string;
  /** A warning for the user; undefined if the link is not suspicious. */
  readonly doubt: string | undefined;
}

/**
 * Checks an address before it is opened; undefined if it may not be opened. `shown` is the link's text in the terminal,
 * if that is not the address itself.
 */
export function checkLink(address: string, shown: string = address): CheckedLink | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  return { href: url.href, doubt: doubtOf(url, address, shown) };
}

function doubtOf(url: URL, address: string, shown: string): string | undefined {
  if (url.username !== "" || url.password !== "")
    return `What stands before the @ is no part of the name: it leads to ${url.host}.`;
  if (/(^|\.)xn--/.test(url.hostname)) return `Its name has letters that may look like others: ${url.host}.`;
  if (/[^\x21-\x7e]/.test(address)) return "It has characters that cannot be seen, or that may look like others.";
  if (shown.trim() !== address && !isPartOf(shown, url)) return `The text "${shorten(shown)}" leads to ${url.host}.`;
  return undefined;
}

/** Whether a link's text is a part of its address. */
function isPartOf(shown: string, url: URL): boolean {
  const text = shown.trim().replace(/^https?:\/\//, "");
  return url.href.includes(text) && (text === url.host || text.startsWith(`${url.host}/`));
}

function shorten(text: string): string {
  return showInvisible(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}

/**
 * Opens a link at once if the user clicked it on purpose and it is not suspicious; otherwise shows the address and
 * asks.
 */
export function openLink({ href, doubt }: CheckedLink, isMeant: boolean, notes: Pick<Notes, "offer">): void {
  const anchor = make("a", { href, target: "_blank", rel: "noopener noreferrer", className: "strong" }, "Open");
  if (isMeant && doubt === undefined) anchor.click();
  else notes.offer(doubt === undefined ? href : `${doubt}\n${href}`, anchor);
}
