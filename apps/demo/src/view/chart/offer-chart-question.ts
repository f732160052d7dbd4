import type { Dashboard } from "../../state/dashboard.ts";
import { askButton } from "../assistant/ask-button.ts";
import type { Ask } from "../assistant/ask-button.ts";
import { questionAboutChart } from "../assistant/questions.ts";
import { byId } from "../dom.ts";

/** Lets the user ask the assistant about the chart. */
export function offerChartQuestion(dashboard: Dashboard, ask: Ask): void {
  const button = askButton("this chart", () => ask(questionAboutChart(dashboard.get())));
  byId("chart-tools", HTMLElement).append(button);
}
