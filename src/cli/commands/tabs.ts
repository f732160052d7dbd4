import type { TabInfo } from "../../wire/index.ts";
import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import type { CommandContext } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { findHub, openOwnState } from "../reach-hub/find-hub.ts";
import type { HubChoice } from "../reach-hub/find-hub.ts";
import { withHub } from "../reach-hub/connect-to-hub.ts";
import type { Style } from "../common/printer.ts";
import { oneLine } from "../common/plain-text.ts";
import { table } from "../console/layout.ts";

export const tabs = defineCommand({
  name: "tabs",
  summary: "List the browser tabs that offer tools, or disconnect one.",
  usage: "[disconnect|reconnect <tab>]",
  positionals: { min: 0, max: 2 },
  options: {
    search: {
      type: "string",
      value: "TEXT",
      summary: "Only tabs with this text in their app, title, address or tools.",
    },
    ...hubOptions,
  },
  notes: [
    "BROWSER is where a tab comes through the browser extension: pagewire help extension.",
    "The tab with the star is the one that a call goes to when it names none.",
    "A page that is disconnected stays away until it is loaded again, or let back with: pagewire tabs reconnect <tab>",
  ],
  examples: ["pagewire tabs", "pagewire tabs --search sales", "pagewire tabs --json", "pagewire tabs --jq '.[].title'"],
  async run({ io, printer, values, positionals: [change, tab] }): Promise<ExitCode> {
    if (change !== undefined) return changeTab({ io, printer, values }, change, tab);
    return withHub(values, io, async (client): Promise<ExitCode> => {
      const { search } = values;
      const list = await client.tabs({ search });
      if (printer.json) printer.data(list);
      else if (search && list.length === 0) printer.line("No tab has this text. See all with: npx pagewire tabs");
      else for (const line of renderTabs(list, printer.out, io.stdout.columns || undefined)) printer.line(line);
      return 0;
    });
  },
});

type Place = Pick<CommandContext, "io" | "printer"> & { readonly values: HubChoice };

async function changeTab({ io, printer, values }: Place, change: string, tab: string | undefined): Promise<ExitCode> {
  if (change !== "disconnect" && change !== "reconnect")
    throw usageError(`"${change}" cannot be done to a tab. Write: npx pagewire tabs disconnect <tab>`);
  if (tab === undefined) throw usageError(`Which tab? Write: npx pagewire tabs ${change} <tab>`);
  const state = openOwnState(io);
  const proven = await accessHub(findHub(values, io, state), io, state);
  await askHub({ ...proven, method: "POST", path: `/api/tabs/${encodeURIComponent(tab)}/${change}` });
  if (printer.json) printer.data({ tab, change });
  else if (change === "disconnect")
    printer.line(`Disconnected. The page stays away until it is loaded again, or: npx pagewire tabs reconnect ${tab}`);
  else printer.line("The page may connect again: it does within 30 seconds, or at once when you turn to it.");
  return 0;
}

function renderTabs(list: readonly TabInfo[], style: Style, width: number | undefined): readonly string[] {
  if (list.length === 0) {
    return ["No tab offers tools. Open a page that does, or find out why one does not with: npx pagewire doctor"];
  }
  const hasBrowsers = list.some(({ browser }) => browser !== undefined);
  const rows = list.map(({ tabId, app, state, tools, title, url, isActive, browser = "" }) => {
    const through = hasBrowsers ? [oneLine(browser, 24)] : [];
    return [isActive ? "*" : " ", tabId, app, state, String(tools.length), ...through, `${title} ${url}`];
  });
  const columns = ["", "TAB", "APP", "STATE", "TOOLS", ...(hasBrowsers ? ["BROWSER"] : []), "PAGE"];
  const [head = "", ...lines] = table([columns, ...rows], width);
  return [style.dim(head), ...lines];
}
