import { html, icon } from "./dom.ts";
import { icons } from "./icons.ts";

export interface Drawer {
  readonly button: HTMLButtonElement;
  readonly element: HTMLElement;
  readonly scrim: HTMLElement;
  close(): void;
}

export interface DrawerParts {
  /** Its heading. */
  readonly name: string;
  readonly content: readonly HTMLElement[];
  /** The rest of the page. */
  readonly behind: readonly HTMLElement[];
}

/** A part of the page that is at its side on wide screens, and slides over the rest on demand on narrow ones. */
export function createDrawer({ name, content, behind }: DrawerParts): Drawer {
  const opening = { type: "button", class: "button quiet square menu", "aria-label": name, title: name };
  const button = html("button", opening, icon(icons.menu));
  const closeLabel = `Close the ${name.toLowerCase()}`;
  const closing = { type: "button", class: "button quiet square side-close", "aria-label": closeLabel };
  const closeButton = html("button", closing, icon(icons.close));
  const head = html("div", { class: "side-head" }, html("h2", {}, name), closeButton);
  const element = html("nav", { class: "side", id: "side", "aria-label": name }, head, ...content);
  const scrim = html("div", { class: "scrim", hidden: true });
  const isWide = matchMedia("(min-width: 900px)");

  function set(isOpen: boolean): void {
    element.classList.toggle("open", isOpen);
    scrim.hidden = !isOpen;
    // The page behind an open drawer is out of reach for keys and screen readers, as for the pointer.
    for (const part of behind) part.inert = isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) closeButton.focus();
  }

  /** It slides when the user opens or closes it, and not when the window becomes narrow. */
  function open(): void {
    element.classList.add("slides");
    set(true);
  }

  function close(): void {
    if (button.getAttribute("aria-expanded") !== "true") return;
    set(false);
    button.focus();
  }

  button.setAttribute("aria-controls", "side");
  set(false);
  button.addEventListener("click", open);
  closeButton.addEventListener("click", close);
  scrim.addEventListener("click", close);
  element.addEventListener("keydown", ({ key }) => key === "Escape" && close());
  isWide.addEventListener("change", ({ matches }) => {
    if (!matches) return;
    element.classList.remove("slides");
    set(false);
  });
  return { button, element, scrim, close };
}
