// Which addresses a text may link to, and how what they show is told from where they lead.
import type { Inline, Link } from "../tree.ts";

/** The address as browsers write it; undefined unless it is a whole one of http, https or mailto that hides nothing. */
export function parseAddress(text: string): string | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(text) || !URL.canParse(text)) return undefined;
  const { href, protocol, username, password } = new URL(text);
  if (!["http:", "https:", "mailto:"].includes(protocol) || username !== "" || password !== "") return undefined;
  return href;
}

/** A link with these children; it tells its place where they could be taken for another one. */
export function linkTo(href: string, children: readonly Inline[]): Link {
  const place = placeOf(href);
  const shown = children.length > 0 ? children : [{ kind: "text", text: href } as const];
  return { kind: "link", href, place: namesAnotherPlace(textOf(shown), place) ? place : null, children: shown };
}

function placeOf(href: string): string {
  const { protocol, host, pathname } = new URL(href);
  return protocol === "mailto:" ? pathname : host;
}

function namesAnotherPlace(text: string, place: string): boolean {
  // Signs that show as nothing, or turn around what follows them, can make a text look like any other.
  if (/[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/.test(text)) return true;
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}.:/@_-]+/u);
  return words.some((word) => {
    const named = word.replace(/^[a-z]{1,20}:\/*/, "").split("/")[0] ?? "";
    return /[^.]\.[^.]/.test(named) && !isSamePlace(named, place);
  });
}

/** A name in letters of its own alphabet is another than the one that browsers write. */
function isSamePlace(named: string, place: string): boolean {
  const bare = (host: string): string => host.replace(/^www\./, "").replace(/[.:-]+$/, "");
  return bare(named) === bare(place.toLowerCase());
}

/** The letters of what is shown. */
function textOf(nodes: readonly Inline[]): string {
  return nodes.map((node) => ("text" in node ? node.text : "children" in node ? textOf(node.children) : " ")).join("");
}
