import type { Setting } from "./program.ts";

/** A field of the hub's entry in a JSON file, in a section of any name. */
export function withServerField(path: string, field: string, value: number | boolean): Setting {
  const change = (text: string) =>
    JSON.stringify(JSON.parse(text), (key, member: unknown) =>
      key === "pagewire" && typeof member === "object" ? { ...member, [field]: value } : member,
    );
  return { file: { path, change } };
}
