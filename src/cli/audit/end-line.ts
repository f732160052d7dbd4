import { isJsonObject } from "../../wire/index.ts";

/** The last line of an export: without it nobody could see that others before it are missing at the end. */
export interface EndLine {
  readonly kind: "end";
  /** How many records there are. */
  readonly records: number;
  /** The hash of the last record of each hub. */
  readonly heads: Readonly<Record<string, string>>;
}

export function endLine(records: number, heads: ReadonlyMap<string, string>): EndLine {
  return { kind: "end", records, heads: Object.fromEntries(heads) };
}

export function isEndLine(value: unknown): value is EndLine {
  return isJsonObject(value) && value["kind"] === "end" && isJsonObject(value["heads"]);
}
