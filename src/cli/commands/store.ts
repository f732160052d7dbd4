import { once } from "node:events";
import { resolve } from "node:path";
import { openStoreTools } from "../../hub/index.ts";
import type { StoreTools } from "../../hub/index.ts";
import { commonOptions, defineCommand, usageError } from "../common/command.ts";
import type { CommandContext } from "../common/command.ts";
import { table } from "../console/layout.ts";
import { openOwnState } from "../reach-hub/find-hub.ts";
import { hubDatabase } from "../run-hub/hub-store.ts";
import { limitOption, readLimits } from "../run-hub/read-limits.ts";

const options = {
  principal: { type: "string", value: "NAME", summary: "For export: only what is of this principal." },
  database: {
    type: "string",
    value: "PLACE",
    summary: "This database: a file, or postgres://user@host/name; else the hub's own, as it finds it.",
  },
  limit: limitOption,
  ...commonOptions,
} as const;

type Context = CommandContext<typeof options>;

export const store = defineCommand({
  name: "store",
  summary: "Inspect, prune, back up or export the hub's data.",
  usage: "status|prune|backup <file>|export",
  positionals: { min: 1, max: 2 },
  options,
  notes: [
    "Works while the hub runs and while it does not. In local mode the principal of everything is named local.",
    "prune removes at once what the hub removes every hour: what is older, or more, than its limits. Give it those that your hub was given. A file stays as large as it was, and is filled again.",
    "backup copies a database in a file as it is at that moment; to go back to it, stop the hub, put the copy in the place of pagewire.db, and delete pagewire.db-wal and pagewire.db-shm. A database of PostgreSQL's is copied by pg_dump.",
    "export writes everything as lines of JSON, results of calls with a key and conversations included: keep it as you keep those.",
  ],
  examples: [
    "pagewire store status",
    "pagewire store backup pagewire-2026-11-27.db",
    "pagewire store export --principal ada > ada.jsonl",
  ],
  async run(context) {
    const { io, values, positionals } = context;
    const [action = "", file] = positionals;
    const act = actions[action];
    if (!act) throw usageError(`"${action}" cannot be done to the store. Write: npx pagewire help store`);
    if ((action === "backup") !== (file !== undefined))
      throw usageError(
        action === "backup" ? "Name the file: npx pagewire store backup <file>" : `${action} takes no file.`,
      );
    if (values.principal !== undefined && action !== "export") throw usageError("--principal is for export.");
    if (values.limit.length > 0 && action !== "prune") throw usageError("--limit is for prune.");
    const { directory } = openOwnState(io);
    const tools = await openStoreTools(hubDatabase({ io, stateDirectory: directory, database: values.database }));
    try {
      await act(tools, context);
    } finally {
      await tools.close();
    }
    return 0;
  },
});

const actions: Readonly<Record<string, (tools: StoreTools, context: Context) => Promise<void>>> = {
  async status(tools, { printer }) {
    const status = await tools.status();
    if (printer.json) return printer.data(status);
    printer.line(`${status.database}: ${sizeText(status.bytes)}`);
    printer.line();
    const rows = Object.entries(status.tables).map(([name, { count, bytes, oldest, newest }]) => [
      name,
      `${count}`,
      bytes > 0 ? sizeText(bytes) : "",
      timeText(oldest),
      timeText(newest),
    ]);
    for (const line of table([["WHAT", "COUNT", "SIZE", "OLDEST", "NEWEST"], ...rows])) printer.line(line);
  },
  async prune(tools, { printer, values }) {
    const pruned = await tools.prune(readLimits(values.limit));
    if (printer.json) return printer.data(pruned);
    const removed = Object.entries(pruned).filter(([, count]) => count > 0);
    if (removed.length === 0) printer.line("Nothing was too old, or too much.");
    for (const [name, count] of removed) printer.line(`Removed ${count} of ${name}.`);
  },
  async backup(tools, { printer, positionals }) {
    const path = resolve(positionals[1] ?? "");
    await tools.backup(path);
    if (printer.json) printer.data({ backup: path });
    else printer.line(`The backup is ${path}.`);
  },
  async export(tools, { io, printer, values }) {
    for await (const line of tools.export(values.principal)) {
      printer.data(line);
      // The reader may be slower than the disk.
      if (io.stdout.writableNeedDrain) await once(io.stdout, "drain");
    }
  },
};

const units = ["bytes", "KB", "MB", "GB", "TB"];

function sizeText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(bytes || 1) / 3)));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[power]}`;
}

/** To the second; a date without a time remains a date. */
function timeText(time: string | undefined): string {
  return time === undefined ? "" : time.replace("T", " ").replace(/\.\d+Z$/, "Z");
}
