import { html, show } from "../dom/dom.ts";
import type { Source } from "../model/sources.ts";

export interface SourcesView {
  readonly element: HTMLElement;
  update(sources: readonly Source[]): void;
}

/** The sources below an answer. Nothing of them is loaded; a page is opened without a referrer and without access to this one. */
export function createSources(): SourcesView {
  const name = html("summary", {});
  const list = html("ol", {});
  const element = html("details", { class: "fold sources", part: "sources", open: true, hidden: true }, name, list);
  let shown: readonly Source[] = [];
  return {
    element,
    update(sources) {
      if (sources.length === shown.length && JSON.stringify(sources) === JSON.stringify(shown)) return;
      shown = sources;
      element.hidden = sources.length === 0;
      name.textContent = sources.length === 1 ? "One source" : `${sources.length} sources`;
      show(list, ...sources.map(itemOf));
    },
  };
}

function itemOf({ url, title, place, quotes }: Source): HTMLElement {
  const link = { href: url, target: "_blank", rel: "noopener noreferrer nofollow", title: url };
  const named = url === undefined ? html("span", {}, title) : html("a", link, title);
  const host = place !== "" && place !== title && html("span", { class: "source-place" }, ` ${place}`);
  return html("li", {}, named, host, ...quotes.map((words) => html("q", {}, words)));
}
