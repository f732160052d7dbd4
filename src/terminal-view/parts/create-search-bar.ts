import type { Found } from "../screen/create-search.ts";
import { make, makeButton } from "./make.ts";

export interface SearchBarParts {
  /** Jumps to a match. */
  find(text: string, options: { readonly backwards?: boolean; readonly isTyping?: boolean }): boolean;
  /** Called when the bar closed and lost the focus. */
  onClose(): void;
}

export interface SearchBar {
  readonly element: HTMLElement;
  readonly isOpen: boolean;
  /** Opens the bar, with an initial text. */
  open(text?: string): void;
  draw(found: Found): void;
}

export function createSearchBar({ find, onClose }: SearchBarParts): SearchBar {
  const field = make("input", {
    type: "search",
    ariaLabel: "Search the terminal",
    autocomplete: "off",
    spellcheck: false,
  });
  const count = make("output", { className: "count" });
  const next = makeButton("↓", () => find(field.value, {}));
  const before = makeButton("↑", () => find(field.value, { backwards: true }));
  const closing = makeButton("✕", close);
  const element = make("form", { className: "search", hidden: true }, field, count, before, next, closing);
  element.setAttribute("role", "search");
  next.ariaLabel = next.title = "Next (Enter)";
  before.ariaLabel = before.title = "Previous (Shift+Enter)";
  closing.ariaLabel = closing.title = "Close (Escape)";

  function close(): void {
    element.hidden = true;
    onClose();
  }

  element.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", () => find(field.value, { isTyping: true }));
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && event.target === field) find(field.value, { backwards: event.shiftKey });
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    element,
    get isOpen() {
      return !element.hidden;
    },
    open(text) {
      element.hidden = false;
      if (text !== undefined && text !== "") field.value = text;
      field.focus();
      field.select();
    },
    draw(found) {
      count.textContent = field.value === "" ? "" : countText(found);
    },
  };
}

function countText({ count, at, isMore, isScreenOnly }: Found): string {
  if (count === 0) return isScreenOnly ? "Not on this screen" : "Not found";
  const all = isMore ? `more than ${count}` : String(count);
  return at === 0 ? all : `${at} of ${all}`;
}
