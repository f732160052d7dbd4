import { render } from "preact";
import { Icon } from "../../../common/src/ui/icon.tsx";
import { compareFigures } from "../data/figures.ts";
import type { ComparedFigure, FigureName } from "../data/figures.ts";
import type { Dashboard, HighlightTarget } from "../state/dashboard.ts";
import { AskButton } from "./assistant/ask-button.tsx";
import type { Ask } from "./assistant/ask-button.tsx";
import { questionAboutFigure } from "./assistant/questions.ts";
import { byId } from "./dom.ts";
import { formatCount, formatExactMoney, formatFineShare, formatMoney, formatShare } from "./format.ts";
import { icons } from "./icons.ts";

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
  dashboard.watch(["days", "filters"], ({ days }) => {
    const figures = compareFigures(dashboard.sales, dashboard.scope());
    const about = ({ name, figure, format }: Tile): void => {
      const { now, change } = figures[figure];
      ask?.(questionAboutFigure({ name, value: format(now), change }, dashboard.get()));
    };
    const items = tiles.map((tile) => (
      <li key={tile.target} class="box tile" data-target={tile.target}>
        <TileContent tile={tile} figure={figures[tile.figure]} days={days} />
        {ask && <AskButton what={tile.name.toLowerCase()} onAsk={() => about(tile)} />}
      </li>
    ));
    render(items, list);
  });
}

interface TileProps {
  readonly tile: Tile;
  readonly figure: ComparedFigure;
  readonly days: number;
}

function TileContent({ tile: { name, format }, figure: { now, before, change, byDay }, days }: TileProps) {
  return (
    <>
      <h2 class="hint">{name}</h2>
      <p class="tile-figure">{format(now)}</p>
      <p class="tile-change" title={`The ${days} days before: ${format(before)}`}>
        <ChangeMark change={change} /> <span class="hint">from {format(before)}</span>
      </p>
      <Sparkline values={byDay} />
    </>
  );
}

/** How much a figure changed, as an arrow and a share, in words for readers. */
export function ChangeMark({ change }: { readonly change: number | undefined }) {
  if (change === undefined) return <span class="change flat">New</span>;
  const rounded = Math.round(change * 1000);
  const [kind, word] = rounded > 0 ? (["up", "up"] as const) : rounded < 0 ? (["down", "down"] as const) : unchanged;
  return (
    <span class={`change ${kind}`}>
      <Icon path={kind === "flat" ? icons.level : icons[kind]} />
      <span class="visually-hidden">{word} </span>
      {formatShare(Math.abs(change))}
    </span>
  );
}

const unchanged = ["flat", "unchanged,"] as const;
const [width, height] = [100, 40];

/** A line without axes that fills its box. Hidden from screen readers, because the figure next to it has the information. */
function Sparkline({ values }: { readonly values: readonly number[] }) {
  const lowest = Math.min(...values);
  const spread = Math.max(...values) - lowest || 1;
  const points = values.map((value, index) => {
    const x = values.length === 1 ? width / 2 : (index / (values.length - 1)) * width;
    return `${x.toFixed(2)} ${(4 + (1 - (value - lowest) / spread) * (height - 12)).toFixed(2)}`;
  });
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={`M0 ${height}L${points.join("L")}L${width} ${height}Z`} />
      <path class="line" d={`M${points.join("L")}`} />
    </svg>
  );
}
