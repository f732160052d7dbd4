import { html, show } from "../../../../common/src/dom.ts";
import { hostOf } from "../../hosts.ts";
import type { ParentState } from "../../parent/connect-parent.ts";
import { isSame } from "../state/is-same.ts";
import { suggestionsOf } from "../state/suggestions-of.ts";
import { whyNoTools } from "../state/tabs-text.ts";
import type { TabTools } from "../talk-options.ts";

export interface EmptyView {
  readonly element: HTMLElement;
  draw(isEmpty: boolean, parent: ParentState, tabs?: TabTools): void;
}

/** What is there before anything was said: whose assistant it is, and what it could be asked. */
export function createEmptyView(onChoose: (text: string) => void): EmptyView {
  const title = html("h2", {});
  const about = html("p", {});
  const list = html("ul", { class: "suggestions", "aria-label": "Suggestions" });
  const element = html("section", { class: "empty", "aria-label": "A new conversation" }, title, about, list);
  let shown: readonly string[] = [];

  return {
    element,
    draw(isEmpty, parent, tabs) {
      element.hidden = !isEmpty;
      const isConnected = parent.kind === "connected";
      title.textContent = isConnected ? `Ask about ${hostOf(parent.origin)}` : "What would you like to know?";
      const tools = isConnected ? parent.tools : parent.kind === "none" && tabs?.isOn ? (tabs.tools ?? []) : [];
      const whose = isConnected ? parent.origin : "the connected pages";
      about.textContent =
        isConnected || tools.length > 0
          ? `The assistant can use ${countOf(tools.length)} of ${whose}. You are asked before anything is changed.`
          : (whyNoTools(parent, tabs) ?? "");
      about.hidden = about.textContent === "";
      const texts = suggestionsOf(tools);
      if (isSame(texts, shown)) return;
      shown = texts;
      const button = (text: string) =>
        html("button", { type: "button", class: "suggestion", onclick: () => onChoose(text) }, text);
      show(list, ...texts.map((text) => html("li", {}, button(text))));
    },
  };
}

function countOf(tools: number): string {
  return tools === 1 ? "one tool" : `${tools} tools`;
}
