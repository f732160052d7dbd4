// The one day that is looked at: by pointer, by key, or by a screen reader, which meets the chart as a slider over days.
import { html, show, svg } from "../dom.ts";
import type { ChartData } from "./chart-data.ts";
import { describeDay, sayDay } from "./describe-day.ts";
import type { DayDescription } from "./describe-day.ts";
import type { Scales } from "./scales.ts";

export interface ChartCursor {
  /** Drawn over the chart. */
  readonly layer: SVGGElement;
  /** Follows a chart that was drawn anew. */
  follow(data: ChartData, scales: Scales): void;
}

/** Makes the cursor of a plot. `onPick` hears of a day that was chosen with Enter. */
export function createChartCursor(
  plot: SVGSVGElement,
  tooltip: HTMLElement,
  onPick: (day: string) => void,
): ChartCursor {
  const layer = svg("g");
  let data: ChartData | undefined;
  let scales: Scales | undefined;
  let index = 0;

  function move(to: number, isShown: boolean): void {
    if (data === undefined || scales === undefined) return;
    index = Math.min(data.days.length - 1, Math.max(0, to));
    const description = describeDay(data, index);
    if (description === undefined) return;
    plot.setAttribute("aria-valuemax", String(data.days.length - 1));
    plot.setAttribute("aria-valuenow", String(index));
    plot.setAttribute("aria-valuetext", sayDay(description));
    tooltip.hidden = !isShown;
    show(layer, ...(isShown ? drawCursor(data, scales, index) : []));
    if (!isShown) return;
    show(tooltip, ...tooltipContent(description));
    const x = scales.x(index);
    const left = x > scales.width / 2 ? x - tooltip.offsetWidth - 14 : x + 14;
    tooltip.style.transform = `translate(${Math.max(0, left)}px, ${scales.top}px)`;
  }

  const isFocused = (): boolean => plot.matches(":focus-visible");
  plot.addEventListener("pointermove", (event) => {
    if (scales !== undefined) move(scales.indexAt(event.clientX - plot.getBoundingClientRect().left), true);
  });
  plot.addEventListener("pointerleave", () => move(index, isFocused()));
  plot.addEventListener("focus", () => move(index, isFocused()));
  plot.addEventListener("blur", () => move(index, false));
  plot.addEventListener("keydown", (event) => {
    const day = data?.days[index];
    if (event.key === "Enter" && day !== undefined && index < (data?.sold.length ?? 0)) {
      event.preventDefault();
      return onPick(day);
    }
    const to = placeAfter(event.key, index, data?.days.length ?? 0);
    if (to === undefined) return;
    event.preventDefault();
    move(to, true);
  });

  return {
    layer,
    follow(newData, newScales) {
      const isOther = newData.sold[0]?.key !== data?.sold[0]?.key;
      data = newData;
      scales = newScales;
      move(isOther ? newData.sold.length - 1 : index, isFocused());
    },
  };
}

function placeAfter(key: string, index: number, count: number): number | undefined {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return index - 1;
    case "ArrowRight":
    case "ArrowUp":
      return index + 1;
    case "PageDown":
      return index - 7;
    case "PageUp":
      return index + 7;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}

function drawCursor({ sold, forecast }: ChartData, scales: Scales, index: number): readonly SVGElement[] {
  const past = sold[index];
  const cents = past?.cents ?? forecast[index - sold.length]?.cents ?? 0;
  const x = scales.x(index);
  return [
    svg("line", { class: "cursor-line", x1: x, x2: x, y1: scales.top, y2: scales.bottom }),
    svg("circle", {
      class: past === undefined ? "cursor-point ahead" : "cursor-point",
      cx: x,
      cy: scales.y(cents),
      r: 5,
    }),
  ];
}

function tooltipContent({ title, figures, notes }: DayDescription): readonly Element[] {
  return [
    html("p", { class: "tooltip-day" }, title),
    html("dl", {}, ...figures.flatMap(([name, value]) => [html("dt", {}, name), html("dd", {}, value)])),
    ...notes.map((note) => html("p", { class: "tooltip-note" }, note)),
  ];
}
