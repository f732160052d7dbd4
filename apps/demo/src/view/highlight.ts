import type { Dashboard, Highlight } from "../state/dashboard.ts";
import { html, icon } from "./dom.ts";
import { icons } from "./icons.ts";

/** Draws a ring around an element that an agent points at, shows who points and why, and scrolls it into view. */
export function mountHighlight(dashboard: Dashboard): void {
  let clear = (): void => {};
  let shown: Highlight | undefined;
  // Tables and tiles are redrawn when these change, and the ring with them.
  dashboard.watch(["highlight", "days", "filters", "query", "page"], ({ highlight }) => {
    clear();
    clear = () => {};
    if (highlight === undefined) return;
    const target = targetOf(highlight);
    if (target === null) return;
    clear = ring(target, highlight, () => dashboard.highlight(undefined));
    if (shown !== highlight) target.scrollIntoView({ block: "center" });
    shown = highlight;
  });
}

function targetOf({ target, orderId }: Highlight): HTMLElement | null {
  const selector = orderId === undefined ? `[data-target="${target}"]` : `[data-order="${CSS.escape(orderId)}"]`;
  return document.querySelector<HTMLElement>(selector);
}

function ring(target: HTMLElement, { by, message }: Highlight, dismiss: () => void): () => void {
  const callout = html(
    "div",
    { class: "callout" },
    html("span", {}, message === undefined ? `Pointed at by ${by}` : `${by}: ${message}`),
    html(
      "button",
      { type: "button", class: "button square", "aria-label": "Dismiss", onclick: dismiss },
      icon(icons.close),
    ),
  );
  target.classList.add("pointed");
  const placed = target instanceof HTMLTableRowElement ? calloutRow(callout, target.cells.length) : callout;
  if (placed === callout) target.append(callout);
  else target.after(placed);
  return () => {
    target.classList.remove("pointed");
    placed.remove();
  };
}

/** A row can hold only cells, so a callout to it is a row of its own. */
function calloutRow(callout: HTMLElement, columns: number): HTMLTableRowElement {
  return html("tr", { class: "callout-row" }, html("td", { colspan: columns }, callout));
}
