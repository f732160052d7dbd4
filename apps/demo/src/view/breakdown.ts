import { changeOf } from "../data/figures.ts";
import { rangeBefore } from "../data/calendar.ts";
import { dimensions, groupSales } from "../data/group-sales.ts";
import type { SalesRow } from "../data/group-sales.ts";
import type { Filters } from "../data/filters.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { askButton } from "./assistant/ask-button.ts";
import type { Ask } from "./assistant/ask-button.ts";
import { questionAboutBreakdown } from "./assistant/questions.ts";
import { byId, html, show, svg } from "./dom.ts";
import { formatMoney, formatShare } from "./format.ts";
import { showSegments } from "./controls.ts";
import { changeMark } from "./tiles.ts";

/** Revenue by product, region or channel. Each bar is a button that filters by what it stands for. */
export function mountBreakdown(dashboard: Dashboard, ask?: Ask): void {
  const list = byId("breakdown", HTMLUListElement);
  const by = byId("breakdown-by", HTMLElement);
  const choices = dimensions.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }));

  dashboard.watch(["breakdown"], ({ breakdown }) =>
    showSegments(by, { choices, chosen: breakdown, choose: (value) => dashboard.setBreakdown(value) }),
  );

  if (ask) {
    const button = askButton("this breakdown", () => {
      const view = dashboard.get();
      ask(questionAboutBreakdown(view.breakdown, view));
    });
    byId("breakdown-tools", HTMLElement).append(button);
  }

  dashboard.watch(["days", "filters", "breakdown"], ({ breakdown, filters }) => {
    // All of them stay on show while one is filtered by, so that the next one is a click away.
    const wide = { ...dashboard.scope(), filters: { ...filters, [breakdown]: null } };
    const rows = groupSales(dashboard.sales, wide, breakdown);
    const before = groupSales(dashboard.sales, { ...wide, range: rangeBefore(wide.range) }, breakdown);
    const centsBefore = new Map(before.map((row) => [row.key, row.cents]));
    const focused = list.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : null;
    const bars = rows.map((row) => {
      const isChosen = filters[breakdown] === row.key;
      // The rows of a dimension are named by its own values.
      const choose = (): void => dashboard.setFilters({ [breakdown]: isChosen ? null : row.key } as Partial<Filters>);
      return createBar({ row, rows, change: changeOf(row.cents, centsBefore.get(row.key) ?? 0), isChosen, choose });
    });
    show(list, ...bars.map((bar) => html("li", {}, bar)));
    bars.find((bar) => bar.dataset.key === focused)?.focus();
  });
}

interface Bar {
  readonly row: SalesRow;
  readonly rows: readonly SalesRow[];
  readonly change: number | undefined;
  readonly isChosen: boolean;
  choose(): void;
}

function createBar({ row, rows, change, isChosen, choose }: Bar): HTMLButtonElement {
  const total = rows.reduce((sum, { cents }) => sum + cents, 0);
  const highest = Math.max(...rows.map(({ cents }) => cents));
  const share = total === 0 ? 0 : row.cents / total;
  const width = highest === 0 ? 0 : (row.cents / highest) * 100;
  return html(
    "button",
    { type: "button", class: "bar", "data-key": row.key, "aria-pressed": String(isChosen), onclick: choose },
    html("span", { class: "bar-name" }, row.key),
    html(
      "span",
      { class: "bar-figures" },
      html("span", {}, formatMoney(row.cents)),
      html("span", { class: "bar-share" }, formatShare(share)),
      changeMark(change),
    ),
    svg(
      "svg",
      { class: "bar-track", "aria-hidden": "true" },
      svg("rect", { class: "track", width: "100%", height: 8, rx: 4 }),
      svg("rect", { class: "amount", width: `${width}%`, height: 8, rx: 4 }),
    ),
  );
}
