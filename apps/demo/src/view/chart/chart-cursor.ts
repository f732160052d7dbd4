// The one day that is looked at: by pointer, by key, or by a screen reader, which meets the chart as a slider over
// days.
import { html, show, svg } from "../dom.ts";
import type { ChartData } from "./chart-data.ts";
import type { Scales } from "./scales.ts";
import { formatCount, formatFullDay, formatMoney, formatWeekday } from "../format.ts";

export interface ChartCursor {
  /** Drawn over the chart. */
  readonly layer: SVGGElement;
  /** Updates the cursor after the chart was redrawn. */
  follow(data: ChartData, scales: Scales): void;
}

/** Creates the cursor of a plot. `onPick` is called with the day that was chosen with Enter. */
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

/** The description of one day on the chart. */
interface DayDescription {
  readonly title: string;
  readonly figures: readonly (readonly [string, string])[];
  readonly notes: readonly string[];
}

/** Puts a day of the chart into words; undefined when there is no such day. */
function describeDay(data: ChartData, index: number): DayDescription | undefined {
  const day = data.days[index];
  if (day === undefined) return undefined;
  return {
    title: `${formatWeekday(day)} ${formatFullDay(day)}`,
    figures: figuresOf(data, index),
    notes: (data.notes.get(day) ?? []).map((note) => `${note.author}: ${note.text}`),
  };
}

/** The same as one line of text. */
function sayDay({ title, figures, notes }: DayDescription): string {
  const figureTexts = figures.map(([name, value]) => `${name} ${value}`);
  return `${title}: ${[...figureTexts, ...notes].join(", ")}`;
}

function figuresOf(data: ChartData, index: number): readonly (readonly [string, string])[] {
  const sold = data.sold[index];
  if (sold === undefined) {
    const ahead = data.forecast[index - data.sold.length];
    if (ahead === undefined) return [];
    return [
      ["Forecast", formatMoney(ahead.cents)],
      ["Likely range", `${formatMoney(ahead.low)} to ${formatMoney(ahead.high)}`],
    ];
  }
  const average = data.average?.[index];
  const before = data.before[index];
  return [
    ["Revenue", formatMoney(sold.cents)],
    ["Orders", formatCount(sold.orders)],
    ...(average === undefined ? [] : [["7-day average", formatMoney(average)] as const]),
    ...(before === undefined ? [] : [["Period before", formatMoney(before.cents)] as const]),
  ];
}
