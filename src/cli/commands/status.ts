import type { HubInfo } from "../../state/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { defineCommand, hubOptions } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { accessHub } from "../reach-hub/access-hub.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import { findHub, isOwnHub, openOwnState } from "../reach-hub/find-hub.ts";
import { table } from "../console/layout.ts";

export const status = defineCommand({
  name: "status",
  summary: "Show the hub that runs: its address, process, model, tabs and agents.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: hubOptions,
  notes: [
    "It exits with 3 if no hub runs. To find out what is wrong with one: npx pagewire doctor. With --json: the answer of GET /api/status, with the process and the log.",
  ],
  examples: ["pagewire status", "pagewire status --json"],
  async run({ io, printer, values }): Promise<ExitCode> {
    const state = openOwnState(io);
    const found = findHub(values, io, state);
    const own = isOwnHub(found.url, state) ? state.runningHub() : undefined;
    const hub = await accessHub(found, io, state);
    const figures = await askHub({ ...hub, method: "GET", path: "/api/status" });
    if (printer.json) printer.data({ url: hub.url, pid: own?.pid, log: own?.log, ...figures });
    else for (const line of render({ url: hub.url, own, figures }, io.now())) printer.line(line);
    return 0;
  },
});

interface FoundHub {
  readonly url: string;
  /** How it announced itself on this machine. */
  readonly own: HubInfo | undefined;
  /** Its answer at /api/status. */
  readonly figures: JsonObject;
}

function render({ url, own, figures }: FoundHub, now: Date): readonly string[] {
  const { version, mode, demo, hasTerminals, terminals, browsers, tabs, agents, callsInFlight, startedAt } = figures;
  const age = typeof startedAt === "string" ? `for ${timeSince(startedAt, now)}` : "";
  return table([
    ["Hub", `${url} (${own ? `process ${own.pid}, ` : ""}${age})`],
    ["Version", textOf(version)],
    ["Mode", textOf(mode)],
    ["Model", modelName(figures)],
    ["Demo", textOf(demo) || "off"],
    ["Terminals", hasTerminals === true ? `on, ${textOf(terminals) || "unknown"} open` : "off"],
    ["Browsers", `${textOf(browsers) || "unknown"} paired`],
    ["Tabs", textOf(tabs)],
    ["Agents", `${textOf(agents)}, with ${textOf(callsInFlight)} calls in flight`],
    ...hubRows(figures, now),
    ...(own ? [["Log", own.log ?? "in the terminal that it was started in"]] : []),
  ]);
}

/** A line for each of several hubs. */
function hubRows({ hubs }: JsonObject, now: Date): [string, string][] {
  const all = Array.isArray(hubs) ? hubs.filter(isJsonObject) : [];
  return all.map(({ name, version, startedAt, isThis, isStopping, ...figures }, index) => {
    const { tabs, agents, callsInFlight } = figures;
    const counts = [
      `${textOf(tabs) || "?"} tabs`,
      `${textOf(agents) || "?"} agents`,
      `${textOf(callsInFlight) || "?"} calls`,
    ];
    const marks = [...(isThis === true ? ["answered this"] : []), ...(isStopping === true ? ["stopping"] : [])];
    const age = `for ${timeSince(textOf(startedAt), now)}`;
    return [index === 0 ? "Hubs" : "", `${textOf(name)} (${[textOf(version), age, ...counts, ...marks].join(", ")})`];
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function modelName({ provider, models, isRehearsal }: JsonObject): string {
  const first: unknown = Array.isArray(models) && isRehearsal !== true ? models[0] : undefined;
  return [provider, first].map(textOf).filter(Boolean).join("/") || "none";
}

const units = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
] as const;

function timeSince(since: string, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 1000));
  const [unit, size] = units.find(([, each]) => seconds >= each) ?? ["s", 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}
