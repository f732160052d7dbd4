import type { Json, JsonObject } from "../../../wire/index.ts";

/** A table as it is written, header and all. */
export function tomlTable(path: readonly string[], fields: JsonObject): string {
  return `[${path.map(tomlKey).join(".")}]\n${tomlFields(fields)}`;
}

export function tomlFields(fields: JsonObject): string {
  return Object.entries(fields)
    .map(([name, value]) => `${tomlKey(name)} = ${tomlValue(value)}\n`)
    .join("");
}

function tomlValue(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((each: Json) => tomlValue(each)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return tomlText(value);
  const members = Object.entries(value).map(([name, each]) => `${tomlKey(name)} = ${tomlValue(each)}`);
  return `{ ${members.join(", ")} }`;
}

/** JSON escapes texts as TOML does, but for one character. */
function tomlText(value: Json): string {
  return JSON.stringify(value).replaceAll("\u007f", String.raw`\u007f`);
}

function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : tomlText(name);
}
