import { html } from "../../../../common/src/dom.ts";

export interface Foldable {
  readonly element: HTMLDetailsElement;
  update(text: string): void;
}

/** Text that is rendered only when it is unfolded. */
export function createFoldable(name: string, write: (text: string) => string): Foldable {
  const hint = html("span", { class: "fold-hint" });
  const body = html("pre", { tabindex: "0", "aria-label": name });
  const element = html("details", { class: "fold" }, html("summary", {}, name, hint), body);
  let latest = "";
  let written: string | undefined;

  function draw(): void {
    if (!element.open || written === latest) return;
    written = latest;
    body.textContent = write(latest);
  }

  element.addEventListener("toggle", draw);
  return {
    element,
    update(text) {
      latest = text;
      hint.textContent = write(text.slice(0, 200)).replaceAll(/\s+/g, " ").slice(0, 80);
      draw();
    },
  };
}
