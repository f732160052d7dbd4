import { render } from "preact";
import { Segments } from "../../../common/src/ui/segments.tsx";
import { rangeBefore } from "../data/calendar.ts";
import { changeOf } from "../data/figures.ts";
import type { Filters } from "../data/filters.ts";
import { dimensions, groupSales } from "../data/group-sales.ts";
import type { SalesRow } from "../data/group-sales.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { AskButton } from "./assistant/ask-button.tsx";
import type { Ask } from "./assistant/ask-button.tsx";
import { questionAboutBreakdown } from "./assistant/questions.ts";
import { byId } from "./dom.ts";
import { formatMoney, formatShare } from "./format.ts";
import { ChangeMark } from "./tiles.tsx";

const options = dimensions.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }));

/** Revenue by product, region or channel. Each bar is a button that filters by its value. */
export function mountBreakdown(dashboard: Dashboard, ask?: Ask): void {
  const tools = byId("breakdown-tools", HTMLElement);
  const list = byId("breakdown", HTMLUListElement);

  dashboard.watch(["breakdown"], ({ breakdown: value }) => {
    const about = (): void => ask?.(questionAboutBreakdown(value, dashboard.get()));
    render(
      <>
        <Segments label="Split by" {...{ options, value }} onValue={(next) => dashboard.setBreakdown(next)} />
        {ask && <AskButton what="this breakdown" onAsk={about} />}
      </>,
      tools,
    );
  });

  dashboard.watch(["days", "filters", "breakdown"], ({ breakdown, filters }) => {
    // All remain visible while one is the filter, so that the next one is a click away.
    const wide = { ...dashboard.scope(), filters: { ...filters, [breakdown]: null } };
    const rows = groupSales(dashboard.sales, wide, breakdown);
    const before = groupSales(dashboard.sales, { ...wide, range: rangeBefore(wide.range) }, breakdown);
    const centsBefore = new Map(before.map((row) => [row.key, row.cents]));
    const bars = rows.map((row) => {
      const isChosen = filters[breakdown] === row.key;
      // The rows of a dimension are named by its own values.
      const choose = (): void => dashboard.setFilters({ [breakdown]: isChosen ? null : row.key } as Partial<Filters>);
      const change = changeOf(row.cents, centsBefore.get(row.key) ?? 0);
      return (
        <li key={row.key}>
          <Bar {...{ row, rows, change, isChosen }} onChoose={choose} />
        </li>
      );
    });
    render(bars, list);
  });
}

interface BarProps {
  readonly row: SalesRow;
  readonly rows: readonly SalesRow[];
  readonly change: number | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Bar({ row, rows, change, isChosen, onChoose }: BarProps) {
  const total = rows.reduce((sum, { cents }) => sum + cents, 0);
  const highest = Math.max(...rows.map(({ cents }) => cents));
  return (
    <button type="button" class="bar" data-key={row.key} aria-pressed={isChosen} onClick={onChoose}>
      <span class="bar-name">{row.key}</span>
      <span class="bar-figures">
        <span>{formatMoney(row.cents)}</span>
        <span class="bar-share">{formatShare(total === 0 ? 0 : row.cents / total)}</span>
        <ChangeMark change={change} />
      </span>
      <svg class="bar-track" aria-hidden="true">
        <rect class="track" width="100%" height={8} rx={4} />
        <rect class="amount" width={`${highest === 0 ? 0 : (row.cents / highest) * 100}%`} height={8} rx={4} />
      </svg>
    </button>
  );
}
