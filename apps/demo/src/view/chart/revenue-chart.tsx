import { render } from "preact";
import { Button } from "../../../../common/src/ui/button.tsx";
import { Chart } from "../../../../common/src/ui/chart.tsx";
import type { Point } from "../../../../common/src/ui/chart.tsx";
import type { Series } from "../../../../common/src/ui/plot.ts";
import type { Dashboard } from "../../state/dashboard.ts";
import { AskButton } from "../assistant/ask-button.tsx";
import type { Ask } from "../assistant/ask-button.tsx";
import { questionAboutChart } from "../assistant/questions.ts";
import { byId } from "../dom.ts";
import { formatCount, formatDay, formatFullDay, formatMoney, formatShortMoney, formatWeekday } from "../format.ts";
import { icons } from "../icons.ts";
import { chartData } from "./chart-data.ts";
import type { ChartData } from "./chart-data.ts";

const help = "Left and right move by a day, Page Up and Page Down by a week. Enter writes a note about the day.";

/** The large chart of revenue by day. `onPick` is called with the day that was chosen on it. */
export function mountRevenueChart(dashboard: Dashboard, onPick: (day: string) => void, ask?: Ask): void {
  const place = byId("chart", HTMLElement);
  dashboard.watch(["days", "filters", "notes", "forecast", "goal"], () => {
    const data = chartData(dashboard);
    render(<RevenueChart data={data} onPick={onPick} />, place);
    render(<Legend data={data} />, byId("legend", HTMLUListElement));
    render(<Extras dashboard={dashboard} data={data} />, byId("chart-extras", HTMLUListElement));
  });
  if (!ask) return;
  const about = (): void => ask(questionAboutChart(dashboard.get()));
  render(<AskButton what="this chart" onAsk={about} />, byId("chart-ask", HTMLElement));
}

interface DataProps {
  readonly data: ChartData;
}

function RevenueChart({ data, onPick }: DataProps & { readonly onPick: (day: string) => void }) {
  const { days, sold, goal, notes } = data;
  const flags = days.flatMap((name, index) => (notes.has(name) ? [{ index, name }] : []));
  return (
    <Chart
      labelledBy="chart-title"
      help={help}
      height={340}
      start={sold.length - 1}
      series={seriesOf(data)}
      nameOf={(index) => formatDay(days[index] ?? "")}
      format={formatShortMoney}
      describe={(index) => describeDay(data, index)}
      lines={goal === undefined ? [] : [{ value: goal, label: `Goal ${formatMoney(goal)}` }]}
      flags={flags}
      onPick={(index) => index < sold.length && onPick(days[index] ?? "")}
    />
  );
}

/** The days sold, then those that are forecast: each series has a value for every day, or none. */
function seriesOf({ days, sold, before, average, forecast }: ChartData): readonly Series[] {
  const upTo = (values: readonly number[]) => days.map((_, index) => values[index] ?? null);
  const cents = sold.map((row) => row.cents);
  const last = cents.at(-1) ?? 0;
  const ahead = (pick: "cents" | "low" | "high") => {
    const values = [last, ...forecast.map((day) => day[pick])];
    return days.map((_, index) => values[index - sold.length + 1] ?? null);
  };
  return [
    { label: "Revenue", values: upTo(cents), fill: true, shape: average === undefined ? "line" : "faint" },
    { label: "Period before", values: upTo(before.map((row) => row.cents)), colour: "line-strong", shape: "dotted" },
    ...(average === undefined ? [] : [{ label: "7-day average", values: upTo(average) }]),
    ...(forecast.length === 0
      ? []
      : [
          { label: "Forecast", values: ahead("cents"), colour: "agent", shape: "dashed" as const },
          { label: "High", values: ahead("high"), colour: "agent", shape: "none" as const, fillTo: "Low" },
          { label: "Low", values: ahead("low"), shape: "none" as const },
        ]),
  ];
}

function Legend({ data: { average, forecast } }: DataProps) {
  return (
    <>
      <li class={average === undefined ? undefined : "faint"}>Revenue</li>
      {average !== undefined && <li>7-day average</li>}
      <li class="dotted">Period before</li>
      {forecast.length > 0 && <li class="ahead">Forecast</li>}
    </>
  );
}

function Extras({ dashboard, data: { sold, goal } }: DataProps & { readonly dashboard: Dashboard }) {
  const { forecast } = dashboard.get();
  const reached = sold.filter((row) => goal !== undefined && row.cents >= goal).length;
  // The button is removed together with its item; the focus moves to the chart.
  const removing = (remove: () => void) => () => {
    remove();
    byId("chart", HTMLElement).querySelector<HTMLElement>("[role=slider]")?.focus();
  };
  return (
    <>
      {forecast && (
        <Chip
          before={`Next ${forecast.days.length} days: `}
          strong={formatMoney(forecast.total.cents)}
          after={` (${formatMoney(forecast.total.low)} to ${formatMoney(forecast.total.high)})`}
          onRemove={removing(() => dashboard.setForecast(undefined))}
        />
      )}
      {goal !== undefined && (
        <Chip
          before="Goal: "
          strong={`${formatMoney(goal)} a day`}
          after={`, reached on ${reached} of ${sold.length} days`}
          onRemove={removing(() => dashboard.setGoal(undefined))}
        />
      )}
    </>
  );
}

interface ChipProps {
  readonly before: string;
  readonly strong: string;
  readonly after: string;
  readonly onRemove: () => void;
}

function Chip({ before, strong, after, onRemove }: ChipProps) {
  return (
    <li class="chip">
      <span>
        {before}
        <strong>{strong}</strong>
        {after}
      </span>
      <Button kind="quiet" small icon={icons.close} label={`Remove: ${before}${strong}`} onClick={onRemove} />
    </li>
  );
}

function describeDay(data: ChartData, index: number): Point {
  const day = data.days[index] ?? "";
  return {
    title: `${formatWeekday(day)} ${formatFullDay(day)}`,
    figures: figuresOf(data, index),
    notes: (data.notes.get(day) ?? []).map((note) => `${note.author}: ${note.text}`),
  };
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
