import { html, show } from "../dom/dom.ts";
import { hostOf } from "../model/hosts.ts";
import type { TalkParentState } from "../talk-parent.ts";
import { isSame } from "../model/prompt.ts";
import { whyNoTools } from "../model/outcome-of.ts";
import type { TabTools, TalkPage } from "../talk-options.ts";
import type { WindowTool } from "../../agent-window/index.ts";
import { showInvisible } from "../../wire/index.ts";

const most = 3;

/** Questions for the app's tools: those of read-only tools and of tools without further input first. */
export function suggestionsOf(tools: readonly WindowTool[]): readonly string[] {
  const ranked = tools.map((tool) => ({ text: suggestionOf(tool), rank: rankOf(tool) }));
  const texts = ranked.toSorted((one, other) => one.rank - other.rank).map(({ text }) => text);
  return [...new Set(texts)].slice(0, most);
}

function rankOf(tool: WindowTool): number {
  const isReading = tool.annotations?.readOnlyHint === true;
  const missing = requiredBy(tool).filter((name) => !isDays(name)).length;
  // A question about a time span shows most of a tool's features.
  return (isReading ? 0 : 10) + missing * 2 + (takesDays(tool) ? 0 : 1);
}

const readingVerbs = ["get", "list", "read", "show", "fetch", "find", "search", "describe", "query"];

/** Worded like the tool's name, so that a model finds it. */
function suggestionOf(tool: WindowTool): string {
  const [first = "", ...rest] = wordsOf(tool.name);
  const span = takesDays(tool) ? " of the last 30 days" : "";
  if (readingVerbs.includes(first) && rest.length > 0) return `Show me the ${rest.join(" ")}${span}`;
  const title = showInvisible(tool.title?.trim() || wordsOf(tool.name).join(" "));
  return `${title.slice(0, 1).toUpperCase()}${title.slice(1, 80)}${takesDays(tool) ? ": the last 30 days" : ""}`;
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

function takesDays(tool: WindowTool): boolean {
  return Object.keys(propertiesOf(tool)).some(isDays);
}

function isDays(name: string): boolean {
  return /^days$/i.test(name);
}

function propertiesOf({ parameters }: WindowTool): object {
  return Object(parameters["properties"]) as object;
}

function requiredBy({ parameters }: WindowTool): readonly string[] {
  const { required } = parameters;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

export interface EmptyView {
  readonly element: HTMLElement;
  draw(isEmpty: boolean, parent: TalkParentState, around?: TabTools | TalkPage): void;
}

/** The empty conversation: the assistant's app, with suggestions. */
export function createEmptyView(onChoose: (text: string) => void): EmptyView {
  const title = html("h2", {});
  const about = html("p", {});
  const list = html("ul", { class: "suggestions", "aria-label": "Suggestions" });
  const example = html("a", { class: "button example", target: "_blank", rel: "noopener", hidden: true });
  const element = html(
    "section",
    { class: "empty", part: "greeting", "aria-label": "A new conversation" },
    title,
    about,
    example,
    list,
  );
  let shown: readonly string[] = [];

  return {
    element,
    draw(isEmpty, parent, around) {
      element.hidden = !isEmpty;
      if (around !== undefined && "starters" in around) return drawPage(around);
      const tabs = around;
      const isConnected = parent.kind === "connected";
      title.textContent = isConnected ? `Ask about ${hostOf(parent.origin)}` : "What would you like to know?";
      const tools = isConnected ? parent.tools : parent.kind === "none" && tabs?.isOn ? (tabs.tools ?? []) : [];
      const whose = isConnected ? parent.origin : "the connected pages";
      about.textContent =
        isConnected || tools.length > 0
          ? `The assistant can use ${countOf(tools.length)} of ${whose}. You are asked before anything is changed.`
          : (whyNoTools(parent, tabs) ?? "");
      about.hidden = about.textContent === "";
      drawExample(tools.length === 0 && !about.hidden ? tabs?.example : undefined);
      drawStarters(suggestionsOf(tools));
    },
  };

  function drawExample({ name, href }: NonNullable<TabTools["example"]> = { name: "", href: "" }): void {
    example.hidden = href === "";
    if (example.hidden) return;
    example.textContent = name;
    example.href = href;
  }

  function drawPage({ greeting, starters, tools }: TalkPage): void {
    title.textContent = greeting ?? "What would you like to know?";
    about.textContent = tools.length > 0 ? `The assistant can use ${countOf(tools.length)} of this page.` : "";
    about.hidden = tools.length === 0;
    drawStarters(starters ?? suggestionsOf(tools));
  }

  function drawStarters(texts: readonly string[]): void {
    if (isSame(texts, shown)) return;
    shown = texts;
    const button = (text: string) =>
      html("button", { type: "button", class: "suggestion", part: "starter", onclick: () => onChoose(text) }, text);
    show(list, ...texts.map((text) => html("li", {}, button(text))));
    list.hidden = texts.length === 0;
  }
}

function countOf(tools: number): string {
  return tools === 1 ? "one tool" : `${tools} tools`;
}
