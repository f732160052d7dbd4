import { wrongField } from "./fields.ts";
import { sizeOf, splitText } from "./frame.ts";
import type { Message, Payload } from "./frame.ts";
import type { FrameIn, FrameTable } from "./frame-table.ts";
import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Limits } from "./limits.ts";

/** What came of reading a message: a frame, a type from a newer version, or a reason to close. */
export type Parsed<Table extends FrameTable, Kind extends Payload = Payload> =
  | { readonly kind: "frame"; readonly frame: FrameIn<Table>; readonly payload: Kind }
  | { readonly kind: "unknown"; readonly type: string }
  | Refused;

type RefusalName = "frame-malformed" | "frame-too-large";

/** Why a message was not read. */
export interface Refused {
  readonly kind: "refused";
  readonly close: RefusalName;
  readonly message: string;
}

/** The bounds that a frame must keep. */
export type FrameLimits = Pick<Limits, "frameBytes" | "headerBytes">;

/** Reads text as one of a table's frames. Never throws, whatever the text. */
export function parseText<Table extends FrameTable>(
  table: Table,
  text: string,
  limits: FrameLimits,
): Parsed<Table, string> {
  const { line, payload } = splitText(text);
  const refused = refuseSize(text, line, limits);
  if (refused) return refused;
  const header = parseHeader(line);
  const { type } = header;
  if (typeof type !== "string") return refuse("frame-malformed", "The frame has no header with a type.");
  const fields = Object.hasOwn(table, type) && table[type];
  if (!fields) return { kind: "unknown", type };
  const wrong = wrongField(fields, header);
  if (wrong) return refuse("frame-malformed", `The field "${wrong}" of a ${type} frame is wrong.`);
  return { kind: "frame", frame: header as unknown as FrameIn<Table>, payload };
}

/** The refusal of a message that is too large, or has too large a header. */
export function refuseSize(message: Message, line: Message, limits: FrameLimits): Refused | undefined {
  const sizes = [
    [message, "frameBytes"],
    [line, "headerBytes"],
  ] as const;
  for (const [part, limit] of sizes) {
    const most = limits[limit];
    if (sizeOf(part) > most) return refuse("frame-too-large", `The limit ${limit} of ${most} bytes is exceeded.`);
  }
  return undefined;
}

function refuse(close: RefusalName, message: string): Refused {
  return { kind: "refused", close, message };
}

/** The header, or an empty one where the line holds none. */
function parseHeader(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
