// Markdown whose parser is loaded when it is first needed: until then the text is shown as it is.
import { html } from "../dom/dom.ts";
import type { MarkdownView } from "./create-markdown.ts";

type Create = (element: HTMLElement) => MarkdownView;

let create: Create | undefined;
let loading: Promise<void> | undefined;

/** Loads the parser. Resolves also where that failed, and is tried again with the next text. */
export function loadMarkdown(): Promise<void> {
  loading ??= import("./create-markdown.ts").then(
    ({ createMarkdown }) => void (create = createMarkdown),
    () => void (loading = undefined),
  );
  return loading;
}

export function createMarkdownView(): MarkdownView {
  const element = html("div", { class: "markdown" });
  let latest = { text: "", isDone: false };
  let view: MarkdownView | undefined;
  let isWaiting = false;

  function draw(): void {
    isWaiting = false;
    if (!view && create) {
      element.replaceChildren();
      element.classList.remove("unread");
      view = create(element);
    }
    if (view) view.update(latest.text, latest.isDone);
  }

  return {
    element,
    update(text, isDone) {
      latest = { text, isDone };
      if (create) return draw();
      element.classList.add("unread");
      element.textContent = text;
      if (text === "" || isWaiting) return;
      isWaiting = true;
      void loadMarkdown().then(draw);
    },
  };
}
