import type { LogRecord } from "../hub/index.ts";
import { oneLine } from "./terminal/plain-text.ts";
import type { Printer, Style } from "./terminal/printer.ts";

/** Writes down what happens in a hub: for people on stderr, for programs as JSON on stdout. */
export interface HubLog {
  record(record: LogRecord): void;
  /** Something that the hub itself does not know of. */
  problem(message: string): void;
}

/** A page that is refused tries again and again: people are told this often. */
const QUIET_TIME = 60_000;

export function createHubLog(printer: Printer, now: () => Date): HubLog {
  const told = new Map<string, number>();

  function isTold(origin: string): boolean {
    const last = told.get(origin);
    if (last !== undefined && now().getTime() - last < QUIET_TIME) return true;
    told.delete(origin);
    told.set(origin, now().getTime());
    for (const oldest of told.keys()) if (told.size > 100) told.delete(oldest);
    return false;
  }

  function record(each: LogRecord): void {
    if (printer.json) return printer.data(each);
    const { command, origin } = each;
    if (typeof command !== "string" || typeof origin !== "string") return printer.note(renderRecord(each, printer.err));
    if (!isTold(origin)) printer.note(renderRefusal(each, printer.err));
  }

  return {
    record,
    problem: (message) => record({ time: now().toISOString(), level: "error", event: "state-unreadable", message }),
  };
}

function renderRecord({ time, level, event, ...fields }: LogRecord, style: Style): string {
  const paint = { info: (text: string) => text, warn: style.yellow, error: style.red }[level];
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${oneLine(String(value), 300)}`);
  return [renderTime(time, style), paint(event), style.dim(rest.join(" "))].join(" ").trimEnd();
}

function renderRefusal({ time, origin, command }: LogRecord, style: Style): string {
  const words = `A page of ${oneLine(String(origin), 300)} wants to offer tools. Let it with:`;
  return `${renderTime(time, style)} ${style.yellow(words)} ${style.bold(oneLine(String(command), 300))}`;
}

function renderTime(time: string, style: Style): string {
  return style.dim(new Date(time).toTimeString().slice(0, 8));
}
