import { html, icon, icons } from "./dom.ts";

export interface Drawer {
  readonly button: HTMLButtonElement;
  readonly element: HTMLElement;
  readonly scrim: HTMLElement;
  close(): void;
}

/** A part of the page that stands at its side where there is room, and else lies over the rest when it is wanted. */
export function createDrawer(content: readonly HTMLElement[], behind: readonly HTMLElement[]): Drawer {
  const label = { "aria-label": "Terminals", title: "Terminals" };
  const button = html("button", { type: "button", class: "button quiet square menu", ...label }, icon(icons.menu));
  const closing = { type: "button", class: "button quiet square side-close", "aria-label": "Close the terminals" };
  const closeButton = html("button", closing, icon(icons.close));
  const head = html("div", { class: "side-head" }, html("h2", {}, "Terminals"), closeButton);
  const element = html("nav", { class: "side", id: "side", "aria-label": "Terminals" }, head, ...content);
  const scrim = html("div", { class: "scrim", hidden: true });

  function set(isOpen: boolean): void {
    element.classList.toggle("open", isOpen);
    scrim.hidden = !isOpen;
    for (const part of behind) part.inert = isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) closeButton.focus();
  }

  function close(): void {
    if (button.getAttribute("aria-expanded") !== "true") return;
    set(false);
    button.focus();
  }

  button.setAttribute("aria-controls", "side");
  set(false);
  button.addEventListener("click", () => set(true));
  closeButton.addEventListener("click", close);
  scrim.addEventListener("click", close);
  element.addEventListener("keydown", ({ key }) => key === "Escape" && close());
  matchMedia("(min-width: 900px)").addEventListener("change", ({ matches }) => matches && set(false));
  return { button, element, scrim, close };
}
