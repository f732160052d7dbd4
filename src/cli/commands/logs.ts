import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { PagewireError } from "../../wire/index.ts";
import { commonOptions, defineCommand, numberOption } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { createInterrupts } from "../console/interrupts.ts";
import { plainText } from "../common/plain-text.ts";
import { systemWaiting } from "../mcp/upstream/wait.ts";
import { openOwnState } from "../reach-hub/find-hub.ts";
import { hubLogPath } from "../run-hub/hub-starter.ts";

const defaultLines = 100;
/** How often to poll for new lines, in milliseconds. */
const pollInterval = 300;
/** Bytes of one read. */
const chunkBytes = 64 * 1024;

export const logs = defineCommand({
  name: "logs",
  summary: "Show the log of the hub in the background.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options: {
    follow: { type: "boolean", summary: "Go on with new lines, until Ctrl-C." },
    lines: { type: "string", value: "N", summary: `Show the last N lines, ${defaultLines} by default.` },
    ...commonOptions,
  },
  notes: [
    "This is the log of hubs that `pagewire hub --background`, `pagewire restart` or `pagewire mcp` started. A hub in a terminal logs there. With --json: a JSON object for each line.",
  ],
  examples: ["pagewire logs", "pagewire logs --follow", "pagewire logs --lines 1000"],
  async run({ io, printer, values }): Promise<ExitCode> {
    const count = numberOption("lines", values.lines, { min: 0, max: 1_000_000, isWhole: true }) ?? defaultLines;
    const state = openOwnState(io);
    const path = hubLogPath(state.directory);
    const running = state.runningHub();
    if (running && running.log === undefined)
      printer.note(`The hub at ${running.url} (process ${running.pid}) logs to the terminal that it was started in.`);
    if (statSync(path, { throwIfNoEntry: false }) === undefined)
      throw new PagewireError("hub-unreachable", `There is no log at ${path}: no hub has run in the background yet.`);
    const print = (line: string) => (printer.json ? printer.data({ line }) : printer.line(plainText(line)));
    let place = printLast(openLog(path), count, print);
    try {
      if (values.follow) await follow();
      else if (place.rest.length > 0 && count > 0) print(place.rest.toString());
    } finally {
      closeSync(place.descriptor);
    }
    return 0;

    async function follow(): Promise<void> {
      const interrupts = createInterrupts(io);
      while (!interrupts.signal.aborted) {
        await systemWaiting.pause(pollInterval, interrupts.signal).catch(() => {});
        place = printNew(path, place, print);
      }
      interrupts.stop();
    }
  },
});

/** How far an open file was read. */
interface Place {
  readonly descriptor: number;
  readonly file: number;
  readonly end: number;
  /** The start of a line that has no end yet. */
  readonly rest: Buffer;
}

type Print = (line: string) => void;

function openLog(path: string): Place {
  const descriptor = openSync(path, "r");
  return { descriptor, file: fstatSync(descriptor).ino, end: 0, rest: Buffer.alloc(0) };
}

/** Prints the last lines of a file without reading all of it. */
function printLast(log: Place, count: number, print: Print): Place {
  const { size } = fstatSync(log.descriptor);
  let start = size;
  let text = Buffer.alloc(0);
  while (start > 0 && countLines(text) <= count) {
    const length = Math.min(chunkBytes, start);
    start -= length;
    text = Buffer.concat([readAt(log.descriptor, start, length), text]);
  }
  const { lines, rest } = splitLines(text);
  if (count > 0) lines.slice(-count).forEach(print);
  return { ...log, end: size, rest };
}

/** Prints the lines since a place. When another file has the path, the one that was put aside is read to its end first. */
function printNew(path: string, place: Place, print: Print): Place {
  const { ino = place.file } = statSync(path, { throwIfNoEntry: false }) ?? {};
  const read = printAdded(place, print);
  if (ino === place.file || read.end !== place.end) return read;
  const next = openLog(path);
  closeSync(place.descriptor);
  if (read.rest.length > 0) print(read.rest.toString());
  return next;
}

function printAdded(place: Place, print: Print): Place {
  const { size } = fstatSync(place.descriptor);
  const from = size < place.end ? { ...place, end: 0, rest: Buffer.alloc(0) } : place;
  const added = readAt(from.descriptor, from.end, Math.min(size - from.end, 16 * chunkBytes));
  if (added.length === 0) return from;
  const { lines, rest } = splitLines(Buffer.concat([from.rest, added]));
  lines.forEach(print);
  return { ...from, end: from.end + added.length, rest };
}

function splitLines(text: Buffer): { readonly lines: readonly string[]; readonly rest: Buffer } {
  const end = text.lastIndexOf(10) + 1;
  return { lines: text.toString("utf8", 0, end).split("\n").slice(0, -1), rest: text.subarray(end) };
}

function countLines(text: Buffer): number {
  let lines = 0;
  for (let at = text.indexOf(10); at !== -1; at = text.indexOf(10, at + 1)) lines++;
  return lines;
}

function readAt(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  const read = readSync(descriptor, buffer, 0, length, position);
  return buffer.subarray(0, read);
}
