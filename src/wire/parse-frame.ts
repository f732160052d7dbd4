import { wrongField } from "./fields.ts";
import { sizeOf, splitFrame, textOf } from "./frame.ts";
import type { Message, Payload } from "./frame.ts";
import type { FrameIn, FrameTable } from "./frame-table.ts";
import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Limits } from "./limits.ts";

/** What came of reading a message: a frame, a type from a newer version, or a reason to close. */
export type Parsed<Table extends FrameTable> =
  | { readonly kind: "frame"; readonly frame: FrameIn<Table>; readonly payload: Payload }
  | { readonly kind: "unknown"; readonly type: string }
  | Refused;

type RefusalName = "frame-malformed" | "frame-too-large";

interface Refused {
  readonly kind: "refused";
  readonly close: RefusalName;
  readonly message: string;
}

/** Reads a message as one of a table's frames. Never throws, whatever the bytes. */
export function parseFrame<Table extends FrameTable>(
  table: Table,
  message: Message,
  limits: Pick<Limits, "frameBytes" | "headerBytes">,
): Parsed<Table> {
  if (sizeOf(message) > limits.frameBytes) return refuse("frame-too-large", "The frame is too large.");
  const { line, payload } = splitFrame(message);
  if (sizeOf(line) > limits.headerBytes) return refuse("frame-too-large", "The header of the frame is too large.");
  const header = parseHeader(line);
  const { type } = header;
  if (typeof type !== "string") return refuse("frame-malformed", "The frame has no header with a type.");
  const fields = Object.hasOwn(table, type) && table[type];
  if (!fields) return { kind: "unknown", type };
  const wrong = wrongField(fields, header);
  if (wrong) return refuse("frame-malformed", `The field "${wrong}" of a ${type} frame is wrong.`);
  return { kind: "frame", frame: header as unknown as FrameIn<Table>, payload };
}

function refuse(close: RefusalName, message: string): Refused {
  return { kind: "refused", close, message };
}

/** The header, or an empty one where the line holds none. */
function parseHeader(line: Message): JsonObject {
  try {
    const value: unknown = JSON.parse(textOf(line));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
