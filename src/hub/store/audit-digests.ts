import { createHmac } from "node:crypto";
import type { AuditRecord, Undigested } from "./store.ts";

const fields = ["argumentsDigest", "resultDigest", "key"] as const;

/** Makes the digests that records lack: it is done where nobody's call waits for it. */
export function digestRecords(records: readonly AuditRecord[], undigested: Undigested): readonly AuditRecord[] {
  const { key, lengths, bytes } = undigested;
  let next = 0;
  let at = 0;

  function digest(): string {
    const length = lengths[next++] ?? 0;
    const isCut = length < 0;
    const end = at + (isCut ? -length - 1 : length);
    const made = createHmac("sha256", key).update(bytes.subarray(at, end)).digest("hex");
    at = end;
    return isCut ? `~${made}` : made;
  }

  return records.map((record) => {
    const lacking = fields.filter((field) => record[field] === "");
    return lacking.length === 0
      ? record
      : { ...record, ...Object.fromEntries(lacking.map((field) => [field, digest()])) };
  });
}
