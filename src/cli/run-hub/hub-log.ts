import type { LogRecord } from "../../hub/index.ts";
import { parseOrigin } from "../../state/index.ts";
import type { State } from "../../state/index.ts";
import { messageOf } from "../../wire/index.ts";
import { oneLine } from "../common/plain-text.ts";
import type { Printer, Style } from "../common/printer.ts";

/** Logs a hub's events: for people on stderr, for programs as JSON on stdout. */
export interface HubLog {
  record(record: LogRecord): void;
  /** Something that the hub itself does not know of. */
  problem(message: string): void;
}

export interface HubLogOptions {
  readonly printer: Printer;
  readonly now: () => Date;
  /** Stores the refused origins, for `pagewire doctor`. */
  readonly state: Pick<State, "noteRefusedOrigin">;
}

/** A refused page tries again and again; this limits how often the log repeats it. */
const quietTime = 60_000;

export function createHubLog({ printer, now, state }: HubLogOptions): HubLog {
  const told = new Map<string, number>();

  function isTold(what: string): boolean {
    const last = told.get(what);
    if (last !== undefined && now().getTime() - last < quietTime) return true;
    told.delete(what);
    told.set(what, now().getTime());
    for (const oldest of told.keys()) if (told.size > 100) told.delete(oldest);
    return false;
  }

  function problem(message: string): void {
    write({ time: now().toISOString(), level: "error", event: "state-unreadable", message });
  }

  function write(record: LogRecord): void {
    if (printer.json) return printer.data(record);
    // The banner covers this better.
    if (record.event !== "hub-started") printer.note(renderRecord(record, printer.err));
  }

  function noteRefusal(record: LogRecord, origin: string): void {
    if (printer.json) printer.data(record);
    else if (!isTold(origin)) printer.note(renderRefusal(record, printer.err));
    try {
      state.noteRefusedOrigin(origin);
    } catch (error) {
      problem(messageOf(error));
    }
  }

  return {
    record(record) {
      const { event, code, origin } = record;
      if (event !== "page-refused" || typeof origin !== "string") return write(record);
      // The user may copy the suggested command into a shell, so it must contain only a valid origin.
      if (code === "origin-not-allowed" && parseOrigin(origin) !== undefined) noteRefusal(record, origin);
      else if (printer.json || !isTold(`${code} ${origin}`)) write(record);
    },
    problem,
  };
}

function renderRecord({ time, level, event, ...fields }: LogRecord, style: Style): string {
  const paint = { info: (text: string) => text, warn: style.yellow, error: style.red }[level];
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  const rest = known.map(([name, value]) => `${name}=${oneLine(String(value), 300)}`);
  return [renderTime(time, style), paint(event), style.dim(rest.join(" "))].join(" ").trimEnd();
}

function renderRefusal({ time, origin }: LogRecord, style: Style): string {
  const from = oneLine(String(origin), 300);
  const words = style.yellow(`A page of ${from} wants to use this hub. Let it with:`);
  return `${renderTime(time, style)} ${words} ${style.bold(`npx pagewire allow ${from}`)}`;
}

function renderTime(time: string, style: Style): string {
  return style.dim(new Date(time).toTimeString().slice(0, 8));
}
