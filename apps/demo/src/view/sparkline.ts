import { svg } from "./dom.ts";

const width = 100;
const height = 40;

/** A line without axes that fills its box. It says nothing that the figure beside it does not, so it is hidden from readers. */
export function sparkline(values: readonly number[]): SVGSVGElement {
  const highest = Math.max(...values);
  const lowest = Math.min(...values);
  const spread = highest - lowest || 1;
  const points = values.map((value, index) => {
    const x = values.length === 1 ? width / 2 : (index / (values.length - 1)) * width;
    const y = 4 + (1 - (value - lowest) / spread) * (height - 12);
    return `${x.toFixed(2)} ${y.toFixed(2)}`;
  });
  return svg(
    "svg",
    { class: "sparkline", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("path", { class: "area", d: `M0 ${height}L${points.join("L")}L${width} ${height}Z` }),
    svg("path", { class: "line", d: `M${points.join("L")}` }),
  );
}
