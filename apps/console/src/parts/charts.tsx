import { useState } from "preact/hooks";
import { Chart } from "../../../common/src/ui/index.ts";
import type { Point, Series } from "../../../common/src/ui/index.ts";

const days = Array.from({ length: 60 }, (_, index) => index);
const sold = days.map((day) => (day < 46 ? 400 + 120 * Math.sin(day / 2) + day * 4 : null));
const low = days.map((day) => (day >= 45 ? 420 + (day - 45) * 2 : null));
const high = days.map((day) => (day >= 45 ? 560 + (day - 45) * 9 : null));

const lines: readonly Series[] = [
  { label: "Sold", values: sold, fill: true },
  {
    label: "Before",
    values: days.map((day) => (day < 46 ? 380 + 90 * Math.cos(day / 3) : null)),
    colour: "line-strong",
    shape: "dotted",
  },
  {
    label: "Forecast",
    values: days.map((day) => (day >= 45 ? 490 + (day - 45) * 5 : null)),
    colour: "warn",
    shape: "dashed",
  },
  { label: "High", values: high, shape: "none", colour: "warn", fillTo: "Low" },
  { label: "Low", values: low, shape: "none" },
];

const bars: readonly Series[] = [
  { label: "Calls", values: days.map((day) => Math.round(40 + 38 * Math.sin(day / 4))), shape: "bars" },
];

export function Charts() {
  const [said, say] = useState("Enter picks a day; drawing over the bars picks several.");
  const name = (index: number) => `Day ${index + 1}`;
  const describe =
    (series: readonly Series[]) =>
    (index: number): Point => ({
      title: name(index),
      figures: series.flatMap(({ label, values }) => {
        const value = values[index];
        return value == null ? [] : [[label, String(Math.round(value))] as const];
      }),
      notes: index === 20 ? ["You: the sale began"] : [],
    });
  return (
    <>
      <h3 id="lines-title">Lines, a forecast, a goal and a note</h3>
      <Chart
        labelledBy="lines-title"
        help="Left and right move by a day, Page Up and Page Down by a week. Enter picks the day."
        series={lines}
        nameOf={name}
        format={String}
        describe={describe(lines)}
        lines={[{ value: 620, label: "Goal 620" }]}
        flags={[{ index: 20, name: "the sale began" }]}
        onPick={(index) => say(`${name(index)} was picked.`)}
      />
      <h3 id="bars-title">Bars</h3>
      <Chart
        labelledBy="bars-title"
        height={140}
        series={bars}
        nameOf={name}
        format={String}
        describe={describe(bars)}
        onSelect={(from, to) => say(`${name(from)} to ${name(to)} were picked.`)}
      />
      <p role="status">{said}</p>
    </>
  );
}
