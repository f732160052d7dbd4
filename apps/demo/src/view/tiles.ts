import { compareFigures } from "../data/figures.ts";
import type { ComparedFigure, FigureName } from "../data/figures.ts";
import type { Dashboard, HighlightTarget } from "../state/dashboard.ts";
import { askButton } from "./assistant/ask-button.ts";
import type { Ask } from "./assistant/ask-button.ts";
import { questionAboutFigure } from "./assistant/questions.ts";
import { byId, html, icon, show, svg } from "./dom.ts";
import { formatCount, formatExactMoney, formatFineShare, formatMoney, formatShare } from "./format.ts";
import { icons } from "./icons.ts";

const width = 100;
const height = 40;

/**
 * A line without axes that fills its box. Hidden from screen readers, because the figure next to it has the
 * information.
 */
function sparkline(values: readonly number[]): SVGSVGElement {
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

interface Tile {
  readonly figure: FigureName;
  readonly target: HighlightTarget;
  readonly name: string;
  format(value: number): string;
}

const tiles: readonly Tile[] = [
  { figure: "revenue", target: "revenue", name: "Revenue", format: formatMoney },
  { figure: "orders", target: "orders", name: "Orders", format: formatCount },
  { figure: "averageOrder", target: "average_order", name: "Average order", format: formatExactMoney },
  { figure: "conversion", target: "conversion", name: "Conversion", format: formatFineShare },
  { figure: "activeUsers", target: "active_users", name: "Active users", format: formatCount },
];

/** One tile per key figure, each beside the stretch before. */
export function mountTiles(dashboard: Dashboard, ask?: Ask): void {
  const list = byId("tiles", HTMLUListElement);
  const items = tiles.map((tile) => html("li", { class: "tile", "data-target": tile.target }));
  show(list, ...items);
  dashboard.watch(["days", "filters"], ({ days }) => {
    const figures = compareFigures(dashboard.sales, dashboard.scope());
    tiles.forEach((tile, index) => {
      const item = items[index];
      const figure = figures[tile.figure];
      if (item === undefined) return;
      show(item, ...tileContent(tile, figure, days), ask && askAbout(tile, figure, ask));
    });
  });

  function askAbout({ name, format }: Tile, { now, change }: ComparedFigure, put: Ask): HTMLElement {
    return askButton(name.toLowerCase(), () =>
      put(questionAboutFigure({ name, value: format(now), change }, dashboard.get())),
    );
  }
}

function tileContent(tile: Tile, figure: ComparedFigure, days: number): readonly Element[] {
  return [
    html("h2", { class: "tile-name" }, tile.name),
    html("p", { class: "tile-figure" }, tile.format(figure.now)),
    html(
      "p",
      { class: "tile-change", title: `The ${days} days before: ${tile.format(figure.before)}` },
      changeMark(figure.change),
      " ",
      html("span", { class: "change-before" }, `from ${tile.format(figure.before)}`),
    ),
    sparkline(figure.byDay),
  ];
}

/** How much a figure changed, as an arrow and a share, in words for readers. */
export function changeMark(change: number | undefined): HTMLElement {
  if (change === undefined) return html("span", { class: "change flat" }, "New");
  const rounded = Math.round(change * 1000);
  const [kind, word, path] =
    rounded > 0
      ? (["up", "up", icons.up] as const)
      : rounded < 0
        ? (["down", "down", icons.down] as const)
        : (["flat", "unchanged,", icons.level] as const);
  return html(
    "span",
    { class: `change ${kind}` },
    icon(path),
    html("span", { class: "visually-hidden" }, `${word} `),
    formatShare(Math.abs(change)),
  );
}
