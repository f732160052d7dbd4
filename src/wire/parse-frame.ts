import type { Message } from "./frame.ts";
import { splitFrame, textOf } from "./frame-bytes.ts";
import type { FrameTable } from "./frame-table.ts";
import { parseText, refuseSize } from "./parse-text.ts";
import type { FrameLimits, Parsed } from "./parse-text.ts";

/** Reads a message as one of a table's frames; the payload stays as it came. Never throws, whatever the bytes. */
export function parseFrame<Table extends FrameTable>(
  table: Table,
  message: Message,
  limits: FrameLimits,
): Parsed<Table> {
  if (typeof message === "string") return parseText(table, message, limits);
  const { line, payload } = splitFrame(message);
  const refused = refuseSize(message, line, limits);
  if (refused) return refused;
  const parsed = parseText(table, decode(line), limits);
  return parsed.kind === "frame" ? { kind: "frame", frame: parsed.frame, payload } : parsed;
}

/** The text of a header line; what is not UTF-8 is no header. */
function decode(line: Message): string {
  try {
    return textOf(line);
  } catch {
    return "";
  }
}
