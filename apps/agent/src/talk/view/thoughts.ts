import { html } from "../../../../common/src/dom.ts";

export interface Thoughts {
  readonly element: HTMLDetailsElement;
  update(text: string, isThinking: boolean): void;
}

/** What the model thought before it answered, folded away. */
export function createThoughts(): Thoughts {
  const name = html("summary", {});
  const body = html("p", { class: "thought" });
  const element = html("details", { class: "fold thoughts", hidden: true }, name, body);
  return {
    element,
    update(text, isThinking) {
      element.hidden = text === "";
      name.textContent = isThinking ? "Thinking…" : "Thoughts";
      body.textContent = text;
    },
  };
}
