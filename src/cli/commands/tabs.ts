import type { TabInfo } from "../../wire/index.ts";
import { defineCommand, hubOptions } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { withHub } from "../reach-hub/connect-to-hub.ts";
import type { Style } from "../common/printer.ts";
import { table } from "../console/layout.ts";

export const tabs = defineCommand({
  name: "tabs",
  summary: "List the browser tabs that offer tools.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: {
    search: {
      type: "string",
      value: "TEXT",
      summary: "Only tabs with this text in their app, title, address or tools.",
    },
    ...hubOptions,
  },
  notes: ["The tab with the star is the one that a call goes to when it names none."],
  examples: ["pagewire tabs", "pagewire tabs --search sales", "pagewire tabs --json"],
  run: ({ io, printer, values }) =>
    withHub(values.hub, io, async (client): Promise<ExitCode> => {
      const { search } = values;
      const list = await client.tabs({ search });
      if (printer.json) printer.data(list);
      else if (search && list.length === 0) printer.line("No tab has this text. See all with: npx pagewire tabs");
      else for (const line of renderTabs(list, printer.out, io.stdout.columns || undefined)) printer.line(line);
      return 0;
    }),
});

function renderTabs(list: readonly TabInfo[], style: Style, width: number | undefined): readonly string[] {
  if (list.length === 0) {
    return ["No tab offers tools. Open a page that does, or find out why one does not with: npx pagewire doctor"];
  }
  const rows = list.map(({ tabId, app, state, tools, title, url, isActive }) => {
    return [isActive ? "*" : " ", tabId, app, state, String(tools.length), `${title} ${url}`];
  });
  const [head = "", ...lines] = table([["", "TAB", "APP", "STATE", "TOOLS", "PAGE"], ...rows], width);
  return [style.dim(head), ...lines];
}
