import type { Page } from "pagewire/page";
import { defineTool } from "pagewire/toolbox";
import { lastDays } from "../data/calendar.ts";
import { forecastRevenue } from "../data/forecast-revenue.ts";
import { groupSales } from "../data/group-sales.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { dollars, setOnly, refusal } from "./describe-view.ts";

const milliseconds = 120;

/**
 * A pause long enough to be watched; a short one in a hidden tab, whose timers may be delayed by a minute.
 * Rejects with the signal's reason when that was aborted meanwhile.
 */
async function pauseForPaint(signal: AbortSignal): Promise<void> {
  await (document.hidden ? nextTask() : new Promise((resolve) => setTimeout(resolve, milliseconds)));
  signal.throwIfAborted();
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

const historyDays = 90;
const rounds = 40;

/** The tool that forecasts revenue. */
export function offerForecastTool(page: Page, dashboard: Dashboard): void {
  page.registerTool(runForecast(dashboard));
}

function runForecast(dashboard: Dashboard) {
  return defineTool({
    name: "run_forecast",
    title: "Forecast revenue",
    description:
      "Simulates the revenue of the next days under the page's filters, and draws it on the chart. Takes five seconds.",
    inputSchema: {
      type: "object",
      properties: {
        days: { type: "integer", minimum: 7, maximum: 60, default: 14 },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    async execute({ days = 14 }, { signal, progress }) {
      const { filters } = dashboard.get();
      const range = lastDays(dashboard.sales.lastDay, historyDays);
      const forecast = await forecastRevenue(groupSales(dashboard.sales, { range, filters }, "day"), {
        days,
        rounds,
        async afterRound(done) {
          progress(done, rounds, `Simulated ${done * 25} runs`);
          await pauseForPaint(signal);
        },
      });
      if (dashboard.get().filters !== filters) {
        return refusal(
          "The filters were changed meanwhile, so the forecast does not fit them. Call run_forecast again.",
        );
      }
      dashboard.setForecast(forecast);
      const { total } = forecast;
      return {
        currency: "USD",
        filters: setOnly(filters),
        revenue: dollars(total.cents),
        likelyRange: [dollars(total.low), dollars(total.high)],
        data: forecast.days.map(({ date, cents, low, high }) => ({
          date,
          revenue: dollars(cents),
          likelyRange: [dollars(low), dollars(high)],
        })),
      };
    },
  });
}
