import type { Dashboard } from "../../state/dashboard.ts";
import { byId, html, icon, show, svg } from "../dom.ts";
import { formatMoney } from "../format.ts";
import { icons } from "../icons.ts";
import { chartData, highestOf } from "./chart-data.ts";
import type { ChartData } from "./chart-data.ts";
import { createChartCursor } from "./chart-cursor.ts";
import { drawChart } from "./draw-chart.ts";
import { createScales } from "./scales.ts";
import { askButton } from "../assistant/ask-button.ts";
import type { Ask } from "../assistant/ask-button.ts";
import { questionAboutChart } from "../assistant/questions.ts";

/** The large chart of revenue by day. `onPick` is called with the day that was chosen on it. */
export function mountRevenueChart(dashboard: Dashboard, onPick: (day: string) => void): void {
  const container = byId("chart", HTMLElement);
  const plot = svg("svg", {
    class: "plot",
    role: "slider",
    tabindex: "0",
    "aria-labelledby": "chart-title",
    "aria-describedby": "chart-help",
    "aria-valuemin": "0",
  });
  const tooltip = html("div", { class: "tooltip", hidden: true });
  const cursor = createChartCursor(plot, tooltip, onPick);
  show(container, plot, tooltip);

  function draw(): void {
    const { width, height } = plot.getBoundingClientRect();
    if (width === 0) return;
    const data = chartData(dashboard);
    const scales = createScales({ width, height, count: data.days.length, highest: highestOf(data) });
    show(plot, createFade(), ...drawChart(data, scales), cursor.layer);
    cursor.follow(data, scales);
    showLegend(data);
    showExtras({ dashboard, data, plot });
  }

  dashboard.watch(["days", "filters", "notes", "forecast", "goal"], draw);
  new ResizeObserver(draw).observe(container);
}

function createFade(): SVGDefsElement {
  const stop = (offset: number, opacity: number): SVGStopElement =>
    svg("stop", { class: "fade", offset, "stop-opacity": opacity });
  const gradient = svg("linearGradient", { id: "chart-fade", x2: 0, y2: 1 }, stop(0, 0.22), stop(1, 0.02));
  return svg("defs", {}, gradient);
}

function showLegend({ average, forecast }: ChartData): void {
  const entries = [
    { text: "Revenue", kind: average === undefined ? "series" : "series faint", isShown: true },
    { text: "7-day average", kind: "series", isShown: average !== undefined },
    { text: "Period before", kind: "series before", isShown: true },
    { text: "Forecast", kind: "series ahead", isShown: forecast.length > 0 },
  ];
  const items = entries
    .filter(({ isShown }) => isShown)
    .map(({ text, kind }) => {
      const swatch = svg(
        "svg",
        { viewBox: "0 0 22 8", "aria-hidden": "true" },
        svg("path", { class: kind, d: "M1 4H21" }),
      );
      return html("li", {}, swatch, text);
    });
  show(byId("legend", HTMLUListElement), ...items);
}

interface Extras {
  readonly dashboard: Dashboard;
  readonly data: ChartData;
  readonly plot: SVGSVGElement;
}

function showExtras({ dashboard, data: { sold, goal }, plot }: Extras): void {
  const { forecast } = dashboard.get();
  const chips: Element[] = [];
  // The button is removed together with its item; move the focus to the container.
  const removing = (remove: () => void) => () => {
    remove();
    plot.focus();
  };
  if (forecast !== undefined) {
    const { cents, low, high } = forecast.total;
    chips.push(
      createChip({
        before: `Next ${forecast.days.length} days: `,
        strong: formatMoney(cents),
        after: ` (${formatMoney(low)} to ${formatMoney(high)})`,
        remove: removing(() => dashboard.setForecast(undefined)),
      }),
    );
  }
  if (goal !== undefined) {
    const reached = sold.filter((row) => row.cents >= goal).length;
    chips.push(
      createChip({
        before: "Goal: ",
        strong: `${formatMoney(goal)} a day`,
        after: `, reached on ${reached} of ${sold.length} days`,
        remove: removing(() => dashboard.setGoal(undefined)),
      }),
    );
  }
  show(byId("chart-extras", HTMLUListElement), ...chips);
}

interface Chip {
  readonly before: string;
  readonly strong: string;
  readonly after: string;
  remove(): void;
}

function createChip({ before, strong, after, remove }: Chip): HTMLLIElement {
  const label = `Remove: ${before}${strong}`;
  return html(
    "li",
    { class: "chip" },
    html("span", {}, before, html("strong", {}, strong), after),
    html("button", { type: "button", class: "button square", "aria-label": label, onclick: remove }, icon(icons.close)),
  );
}

/** Lets the user ask the assistant about the chart. */
export function offerChartQuestion(dashboard: Dashboard, ask: Ask): void {
  const button = askButton("this chart", () => ask(questionAboutChart(dashboard.get())));
  byId("chart-tools", HTMLElement).append(button);
}
