import { render } from "preact";
import { Button } from "../../../common/src/ui/button.tsx";
import type { Dashboard, Highlight } from "../state/dashboard.ts";
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
  const callout = (
    <div class="callout">
      <span>{message === undefined ? `Pointed at by ${by}` : `${by}: ${message}`}</span>
      <Button kind="quiet" small icon={icons.close} label="Dismiss" onClick={dismiss} />
    </div>
  );
  target.classList.add("pointed");
  // A row can hold only cells, so a callout to it is a row of its own.
  const isRow = target instanceof HTMLTableRowElement;
  const place = document.createElement(isRow ? "tr" : "div");
  if (isRow) place.className = "callout-row";
  render(isRow ? <td colSpan={target.cells.length}>{callout}</td> : callout, place);
  if (isRow) target.after(place);
  else target.append(place);
  return () => {
    target.classList.remove("pointed");
    render(null, place);
    place.remove();
  };
}
