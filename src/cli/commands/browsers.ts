import { PagewireError, isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import { oneLine } from "../common/plain-text.ts";
import { minuteOf, table } from "../console/layout.ts";
import { findHub, openOwnState } from "../reach-hub/find-hub.ts";

export const browsers = defineCommand({
  name: "browsers",
  summary: "List the browsers that are paired by their extension, or remove one.",
  usage: "[list|remove] [name|id]",
  positionals: { min: 0, max: 2 },
  options: hubOptions,
  notes: [
    "A browser that is removed is out at once: its tabs are closed, and the extension asks to be paired again. To pair one: npx pagewire extension",
  ],
  examples: ["pagewire browsers", "pagewire browsers remove Chrome", "pagewire browsers --json"],
  async run({ io, printer, values, positionals: [action = "list", wanted] }) {
    if (!(action === "list" && wanted === undefined) && !(action === "remove" && wanted !== undefined))
      throw usageError("Write: npx pagewire browsers, or: npx pagewire browsers remove <name or id>.");
    const state = openOwnState(io);
    const hub = await accessHub(findHub(values, io, state), io, state);
    const { browsers: list } = await askHub({ ...hub, method: "GET", path: "/api/browsers" });
    const all = Array.isArray(list) ? list.filter(isJsonObject) : [];
    if (wanted === undefined) {
      if (printer.json) printer.data({ browsers: all });
      else for (const line of render(all, io.stdout.columns || undefined)) printer.line(line);
      return 0;
    }
    const browser = all.find(({ id }) => id === wanted) ?? all.find(({ name }) => name === wanted);
    if (!browser) throw noBrowser(wanted, all);
    await askHub({ ...hub, method: "DELETE", path: `/api/browsers/${encodeURIComponent(textOf(browser["id"]))}` });
    if (printer.json) printer.data({ removed: browser });
    else printer.line(`Removed ${nameOf(browser)}. To pair it again: npx pagewire extension`);
    return 0;
  },
});

function noBrowser(wanted: string, all: readonly JsonObject[]): PagewireError {
  const names = all.map((each) => `"${nameOf(each)}"`).join(", ");
  const there = all.length === 0 ? "None is paired." : `There are: ${names}.`;
  return new PagewireError("route-not-found", `No browser is paired as "${oneLine(wanted, 100)}". ${there}`);
}

function render(all: readonly JsonObject[], width: number | undefined): readonly string[] {
  if (all.length === 0) return ["No browser is paired. Pair yours with: npx pagewire extension"];
  const rows = all.map((each) => [
    nameOf(each),
    textOf(each["id"]),
    kindOf(textOf(each["origin"])),
    timeOf(each["pairedAt"]),
    each["connected"] === true
      ? `now, ${Number(each["tabs"])} ${each["tabs"] === 1 ? "tab" : "tabs"}`
      : timeOf(each["seenAt"]),
    each["expiresAt"] === undefined ? "never" : timeOf(each["expiresAt"]),
  ]);
  return table([["NAME", "ID", "EXTENSION", "PAIRED", "SEEN", "ENDS"], ...rows], width);
}

const kinds: Readonly<Record<string, string>> = {
  "chrome-extension:": "Chromium",
  "moz-extension:": "Firefox",
  "safari-web-extension:": "Safari",
};

function kindOf(origin: string): string {
  return kinds[origin.split("//")[0] ?? ""] ?? origin;
}

function nameOf({ name }: JsonObject): string {
  return oneLine(textOf(name), 100);
}

function timeOf(value: Json | undefined): string {
  return minuteOf(new Date(textOf(value)));
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
