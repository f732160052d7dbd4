import { readFileSync } from "node:fs";

/** The samples in a file, by their headings. */
export function readSamples(file: string): ReadonlyMap<string, string> {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  const found = text.matchAll(/^## ([^\n]+)\n\n```\w*\n(.*?)^```/gms);
  return new Map(Array.from(found, ([, heading = "", sample = ""]) => [heading, sample]));
}
