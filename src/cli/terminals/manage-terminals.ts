import { isJsonObject, PagewireError } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { oneLine } from "../common/plain-text.ts";
import { minuteOf, table } from "../console/layout.ts";
import { askShells, endShell } from "./ask-shells.ts";
import type { Managing } from "./ask-shells.ts";

const listCommand = "npx pagewire terminal list";

/** Prints the terminals of this user. */
export async function listTerminals(managing: Managing): Promise<void> {
  const { io, printer } = managing;
  const { isOn, terminals } = await askShells(managing, "GET");
  if (printer.json) return printer.data({ isOn, terminals: terminals.map(withTime) });
  if (terminals.length === 0)
    return printer.line(
      `${isOn ? "There is no terminal." : "Terminals are off."} Open one with: npx pagewire terminal`,
    );
  const rows = terminals.map((each) => rowOf(each, io.now()));
  const heads = ["ID", "NAME", "PROGRAM", "SIZE", "SINCE", "SHOWN IN"];
  const [head = "", ...lines] = table([heads, ...rows], io.stdout.columns || undefined);
  for (const line of [printer.out.dim(head), ...lines]) printer.line(line);
}

/** Ends the terminals with these ids, or without ids all of them, and prints which. Ends none if an id is unknown. */
export async function endTerminals(managing: Managing, ids: readonly string[]): Promise<void> {
  const { printer } = managing;
  const { terminals } = await askShells(managing, "GET");
  const unknown = ids.find((id) => !terminals.some((each) => each["id"] === id));
  if (unknown !== undefined) throw notFound(unknown);
  const asked = ids.length === 0 ? terminals : terminals.filter((each) => ids.includes(textOf(each["id"])));
  const ended: JsonObject[] = [];
  for (const terminal of asked) {
    const { id, name } = terminal;
    await endShell(managing, textOf(id)).catch(orEnded);
    ended.push({ id: textOf(id), name: textOf(name) });
    if (!printer.json) printer.line(`Ended ${oneLine(textOf(name), 60)} (${textOf(id)}).`);
  }
  if (printer.json) printer.data({ ended });
  else if (ended.length === 0) printer.line("There is no terminal to end.");
}

/** Its shell may have ended by itself. */
function orEnded(error: unknown): void {
  if (!PagewireError.isInstance(error) || error.code !== "terminal-not-found") throw error;
}

function notFound(id: string): PagewireError {
  const message = `There is no terminal "${oneLine(id, 60)}", and none was ended. See those that there are with: ${listCommand}`;
  return new PagewireError("terminal-not-found", message);
}

function withTime(terminal: JsonObject): JsonObject {
  const { createdAt } = terminal;
  return typeof createdAt === "number" ? { ...terminal, createdAt: new Date(createdAt).toISOString() } : terminal;
}

function rowOf({ id, name, program, columns, rows, createdAt, tab, views }: JsonObject, now: Date): readonly string[] {
  const size = typeof columns === "number" && typeof rows === "number" ? `${columns}x${rows}` : "-";
  const since = typeof createdAt === "number" ? sinceOf(new Date(createdAt), now) : "-";
  return [textOf(id), textOf(name), textOf(program) || "-", size, since, placeOf(tab, views)];
}

/** The tab; a view in a page that is not connected has none. */
function placeOf(tab: Json | undefined, views: Json | undefined): string {
  if (isJsonObject(tab)) return `${textOf(tab["tabId"])} ${textOf(tab["title"])} ${textOf(tab["url"])}`;
  return typeof views === "number" && views > 0 ? "a page without tools" : "nowhere";
}

/** A time of today without the day. */
function sinceOf(time: Date, now: Date): string {
  const text = minuteOf(time);
  return time.toDateString() === now.toDateString() ? text.slice("2026-01-31 ".length) : text;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
