// The parts of `pagewire team` have this in common: how they are called, and how they print.
import { PagewireError, isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";
import { oneLine } from "../common/plain-text.ts";
import { unitTime, usageError } from "../common/command.ts";
import type { OptionValues } from "../common/command.ts";
import { minuteOf, table } from "../console/layout.ts";
import type { AccessedHub } from "../reach-hub/access-hub.ts";
import { askHub } from "../reach-hub/ask-hub.ts";
import type { teamOptions } from "./team-options.ts";

export interface Asked {
  readonly hub: AccessedHub;
  readonly name: string;
  readonly values: OptionValues<typeof teamOptions>;
  readonly stdin: Io["stdin"];
}

/** The answer of a command: for programs, and for people. */
export interface Shown {
  readonly data: JsonObject;
  readonly lines: (width: number | undefined) => readonly string[];
}

/** By what is typed, such as "people block <name>". */
export type Actions = Readonly<Record<string, (asked: Asked) => Promise<Shown>>>;

export function said(data: JsonObject, line: string): Shown {
  return { data, lines: () => [oneLine(line, 300)] };
}

export function listed(data: JsonObject, rows: readonly (readonly string[])[], none: string): Shown {
  return { data, lines: (width) => (rows.length > 1 ? table(rows, width) : [none]) };
}

/** All pages of a list. */
export async function all(
  hub: AccessedHub,
  what: "people" | "sessions",
  path = `/api/team/${what}`,
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let after = ""; ;) {
    const more = after === "" ? "" : `?after=${encodeURIComponent(after)}`;
    const page = await askHub({ ...hub, method: "GET", path: path + more });
    found.push(...objects(page[what]));
    if (typeof page["next"] !== "string") return found;
    after = page["next"];
  }
}

/** The principal of this name, or of the person with this email address. */
export async function findPrincipal(hub: AccessedHub, name: string): Promise<string> {
  if (name.includes("/")) return name;
  const people = await all(hub, "people");
  const [person, another] = people.filter(({ email }) => text(email).toLowerCase() === name.toLowerCase());
  if (person && !another) return text(person["principal"]);
  const problem = another ? "Several people have this email address" : "Nobody has this email address";
  throw new PagewireError("route-not-found", `${problem}. Name a principal: npx pagewire team people`);
}

/** A length of time in milliseconds. */
export function duration(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(given) ?? [];
  if (count !== undefined) return Number(count) * (unitTime[unit] ?? 0);
  throw usageError(`--${name} must be a time such as 12h or 30d, not "${given}".`);
}

export function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function time(at: Json | undefined): string {
  return typeof at === "number" ? minuteOf(at) : "";
}
