import { html } from "./dom.ts";

/** A row of buttons of which one is pressed. */
export interface Segments<Value> {
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  readonly chosen: Value;
  choose(value: Value): void;
}

/** Shows a row of buttons; the ones that are there already are kept, so that focus stays where it is. */
export function showSegments<Value>(container: HTMLElement, { choices, chosen, choose }: Segments<Value>): void {
  if (container.childElementCount === 0) {
    container.append(
      ...choices.map(({ value, label }) => html("button", { type: "button", onclick: () => choose(value) }, label)),
    );
  }
  choices.forEach(({ value }, index) => {
    container.children[index]?.setAttribute("aria-pressed", String(value === chosen));
  });
}
