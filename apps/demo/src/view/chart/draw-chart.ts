import { svg } from "../dom.ts";
import { formatDay, formatMoney, formatShortMoney } from "../format.ts";
import type { ChartData } from "./chart-data.ts";
import { labelledDays } from "./scales.ts";
import type { Scales } from "./scales.ts";

/** The layers of the chart, lowest first. */
export function drawChart(data: ChartData, scales: Scales): readonly SVGElement[] {
  return [
    ...drawAxes(data, scales),
    ...drawPast(data, scales),
    ...drawForecast(data, scales),
    ...drawMarks(data, scales),
  ];
}

function drawAxes({ days }: ChartData, scales: Scales): readonly SVGElement[] {
  const { left, right, bottom } = scales;
  const lines = scales.amounts.flatMap((cents) => {
    // On half a pixel a line of one pixel is sharp.
    const y = Math.round(scales.y(cents)) + 0.5;
    const label = svg("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, formatShortMoney(cents));
    return [svg("line", { class: cents === 0 ? "base-line" : "grid-line", x1: left, x2: right, y1: y, y2: y }), label];
  });
  const labels = labelledDays(days.length, right - left).map((index) => {
    const anchor = scales.x(index) > right - 24 ? "end" : "middle";
    const place = { x: scales.x(index), y: bottom + 20, "text-anchor": index === 0 ? "start" : anchor };
    return svg("text", place, formatDay(days[index] ?? ""));
  });
  return [...lines, ...labels];
}

function drawPast({ sold, before, average }: ChartData, scales: Scales): readonly SVGElement[] {
  const cents = sold.map((row) => row.cents);
  const line = path(cents, scales);
  const area = `${line}L${scales.x(cents.length - 1)} ${scales.bottom}L${scales.x(0)} ${scales.bottom}Z`;
  return [
    svg("path", { class: "area", d: area, fill: "url(#chart-fade)" }),
    svg("path", {
      class: "series before",
      d: path(
        before.map((row) => row.cents),
        scales,
      ),
    }),
    svg("path", { class: average === undefined ? "series" : "series faint", d: line }),
    ...(average === undefined ? [] : [svg("path", { class: "series", d: path(average, scales) })]),
  ];
}

function drawForecast({ sold, forecast }: ChartData, scales: Scales): readonly SVGElement[] {
  const last = sold.at(-1);
  if (forecast.length === 0 || last === undefined) return [];
  const from = sold.length - 1;
  const high = [last.cents, ...forecast.map((day) => day.high)];
  const low = [last.cents, ...forecast.map((day) => day.low)];
  const edge = low.map((cents, index) => `L${at(scales, from + index, cents)}`).toReversed();
  return [
    svg("path", { class: "band", d: `${path(high, scales, from)}${edge.join("")}Z` }),
    svg("path", {
      class: "series ahead",
      d: path([last.cents, ...forecast.map((day) => day.cents)], scales, from),
    }),
  ];
}

function drawMarks({ days, sold, goal, notes }: ChartData, scales: Scales): readonly SVGElement[] {
  const marks: SVGElement[] = [];
  if (goal !== undefined) {
    const y = Math.round(scales.y(goal)) + 0.5;
    marks.push(
      svg("line", { class: "goal-line", x1: scales.left, x2: scales.right, y1: y, y2: y }),
      svg(
        "text",
        { class: "goal-label", x: scales.right, y: y - 7, "text-anchor": "end" },
        `Goal ${formatMoney(goal)}`,
      ),
    );
  }
  days.forEach((day, index) => {
    if (!notes.has(day)) return;
    const x = scales.x(index);
    const y = scales.y(sold[index]?.cents ?? 0);
    marks.push(
      svg("line", { class: "note-stem", x1: x, x2: x, y1: 14, y2: y }),
      svg("circle", { class: "note-mark", cx: x, cy: 12, r: 6, "data-note-day": day }),
    );
  });
  return marks;
}

function path(values: readonly number[], scales: Scales, from = 0): string {
  return `M${values.map((cents, index) => at(scales, from + index, cents)).join("L")}`;
}

function at(scales: Scales, index: number, cents: number): string {
  return `${scales.x(index).toFixed(1)} ${scales.y(cents).toFixed(1)}`;
}
