// Texts of tools as people read them: titles, arguments, results.
import type { ApprovalRequest } from "../../toolbox/index.ts";
import { showInvisible, pageLimits, parseJson } from "../../wire/index.ts";
import type { TalkParentState } from "../talk-parent.ts";

const prefix = "parent-window_";
const longest = 120;

/** A tool's display name; for the hub's questions, the hub's name for it. */
export function toolTitle(name: string, parent: TalkParentState, asked?: Pick<ApprovalRequest, "title">): string {
  const own = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
  const tool = parent.kind === "connected" ? parent.tools.find((one) => one.name === own) : undefined;
  return titleText(asked?.title?.trim() || tool?.title?.trim() || (own ?? name));
}

export type TitleStorage = Pick<Storage, "getItem" | "setItem">;

const titlesKey = "pagewire-tool-titles";
/** More titles than an app's window shows calls of; the oldest make room. */
const mostTitles = 200;

/** The display names of tools, kept: a past call has the same name when the app that gave it is gone. */
export function createToolTitles(storage: TitleStorage): typeof toolTitle {
  const titles = readTitles(storage);
  return (name, parent, asked) => {
    const title = toolTitle(name, parent, asked);
    const known = titles.get(name);
    if (title === known) return title;
    const isNamed = title !== titleText(ownName(name));
    if (!isNamed) return known ?? title;
    titles.delete(name);
    titles.set(name, title);
    for (const oldest of [...titles.keys()].slice(0, -mostTitles)) titles.delete(oldest);
    try {
      storage.setItem(titlesKey, JSON.stringify([...titles]));
    } catch {
      // Without storage, they last as long as this page.
    }
    return title;
  };
}

function readTitles(storage: TitleStorage): Map<string, string> {
  try {
    const kept: unknown = JSON.parse(storage.getItem(titlesKey) ?? "[]");
    if (!Array.isArray(kept)) return new Map();
    return new Map(kept.filter((entry): entry is [string, string] => Array.isArray(entry) && entry.every(isText)));
  } catch {
    return new Map();
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function ownName(name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** An app's title for display: without invisible characters, and shortened so that the rest remains visible. */
export function titleText(title: string): string {
  const text = showInvisible(title.trim());
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** The tool's origin if the hub does not send it; the names of the parent's tools show it. */
export function toolOrigin(name: string, parent: TalkParentState): string | undefined {
  return parent.kind === "connected" && name.startsWith(prefix) ? parent.origin : undefined;
}

/** Arguments or a result as people read them: JSON with line breaks, and nothing in it that cannot be seen. */
export function readableText(text: string): string {
  return showInvisible(indented(text));
}

function indented(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  // The line breaks and indentation of deeply nested data would be much longer than the data.
  const value = parseJson(text, pageLimits.jsonDepth);
  return value === undefined ? text : JSON.stringify(value, undefined, 2);
}
