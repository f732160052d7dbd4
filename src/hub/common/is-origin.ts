import { parseUrl } from "../../wire/index.ts";

/** Whether a value is a serialized origin, other than the opaque `null`. */
export function isOrigin(value: unknown): value is string {
  return typeof value === "string" && parseUrl(value)?.origin === value;
}
