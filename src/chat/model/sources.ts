// The sources of an answer, each once, in the order in which they are named: the numbers in the text of some APIs count them.
import type { AiMessage } from "../../element/index.ts";
import { showInvisible } from "../../wire/index.ts";

export interface Source {
  /** The page's address, if it is one. */
  readonly url?: string | undefined;
  readonly title: string;
  /** The page's host, in case that its title names another. */
  readonly place: string;
  readonly quotes: readonly string[];
}

const maxSources = 50;
const maxQuotes = 3;
const maxText = 300;

const none: readonly Source[] = [];
/** A message is read once, and drawn with every word of the answer that follows. */
const read = new WeakMap<AiMessage, readonly Source[]>();

export function sourcesOf(message: AiMessage): readonly Source[] {
  if (!Array.isArray(message.citations)) return none;
  const sources = read.get(message) ?? readSources(message.citations);
  read.set(message, sources);
  return sources;
}

/** The messages may come from anybody: what is no source is left out. */
function readSources(citations: readonly unknown[]): readonly Source[] {
  const sources = new Map<string, Source>();
  for (const citation of citations) {
    const { url, title, quote } = Object(citation) as Readonly<Record<string, unknown>>;
    const page = pageOf(url);
    const name = textOf(title) || (page ? `${page.host}${page.pathname.replace(/\/$/, "")}`.slice(0, maxText) : "");
    const key = page?.href ?? name;
    const known = sources.get(key);
    if (name === "" || (!known && sources.size === maxSources)) continue;
    const quotes = [...new Set([...(known?.quotes ?? []), textOf(quote)])].filter((words) => words !== "");
    const place = page?.host ?? "";
    sources.set(key, { url: page?.href, title: known?.title ?? name, place, quotes: quotes.slice(0, maxQuotes) });
  }
  return [...sources.values()];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? showInvisible(value.replace(/\s+/g, " ").trim().slice(0, maxText)) : "";
}

function pageOf(url: unknown): URL | undefined {
  if (typeof url !== "string" || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const page = new URL(url);
  return page.username === "" && page.password === "" ? page : undefined;
}

/** As a numbered list in Markdown; empty where there are none. */
export function sourcesText(sources: readonly Source[]): string {
  if (sources.length === 0) return "";
  const lines = sources.map(
    ({ url, title }, at) => `${at + 1}. ${url ? `[${escaped(title)}](<${url}>)` : escaped(title)}`,
  );
  return `Sources:\n\n${lines.join("\n")}`;
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>!&|~]/g, "\\$&");
}
