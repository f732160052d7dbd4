import { isJsonObject } from "../../../wire/index.ts";
import type { Json, JsonObject } from "../../../wire/index.ts";
import type { ClientDefinition, Place, Scope } from "../../connect/clients/client.ts";
import { readConfigFile } from "../../connect/config/config-file.ts";
import { foreignToNpx, isNpx } from "../../connect/launch.ts";

/** A server that a client's file names. */
export interface ClientEntry {
  readonly client: ClientDefinition;
  readonly scope: Scope;
  readonly path: string;
  readonly name: string;
  /** The entry with the fields that most clients have. */
  readonly entry: JsonObject;
  /** The entry as the file has it. */
  readonly written: JsonObject;
}

/** A program's word about a server. */
export interface Told {
  readonly status: keyof typeof statuses;
  /** Its own words. */
  readonly why?: string;
}

/** The states that programs know, and whether there is something to do. */
export const statuses = {
  connected: "well",
  /** Its command says no more. */
  enabled: "well",
  pending: "hint",
  rejected: "hint",
  untrusted: "hint",
  disabled: "hint",
  failed: "warning",
  missing: "hint",
  unclear: "hint",
  silent: "warning",
} as const;

/** The surroundings of a program while it is asked: what it finds instead of its user's own settings. */
export interface Copies {
  readonly variables: Readonly<Record<string, string>>;
  /** The texts of files, by their paths in the folder. */
  readonly files: Readonly<Record<string, string>>;
  /** The folder that it runs in, where that is not the project's. */
  readonly cwd?: string;
}

/** A program that people have installed beside its configuration, and its own command about a server. */
export interface Program {
  /** The client in the table of `connect`. */
  readonly id: string;
  readonly command: string;
  /** Its command about a server, which changes nothing. */
  args(name: string): readonly string[];
  /** Why it cannot be asked without being changed, or without the risk of starting something of a stranger's. */
  refusal?(entry: ClientEntry, place: Place): string | undefined | Promise<string | undefined>;
  /** The settings that are copied for it into a folder of its own, so that it cannot change its user's. */
  copies(entry: ClientEntry, place: Place, folder: string): Promise<Copies>;
  read(output: string, entry: ClientEntry): Told;
  /** The next step for its user in each state. */
  readonly advice: Readonly<Partial<Record<Told["status"], string>>>;
}

/** The object in a file of a client's; empty where there is none or it cannot be read. */
export async function settingsIn(path: string | undefined, { format }: ClientDefinition): Promise<JsonObject> {
  if (path === undefined) return {};
  try {
    return await format.parse(readConfigFile(path) ?? "");
  } catch {
    return {};
  }
}

/** Why an entry of the user's own must not be started in the project's folder. A project's entry is for its user to allow. */
export function foreignNpx({ scope, entry }: ClientEntry, place: Place): string | undefined {
  return scope === "user" && isNpx(entry) ? foreignPackage(place.project, place) : undefined;
}

/** Why npx must not be started in this folder, which may be a stranger's. */
export function foreignPackage(folder: string, { homeDirectory }: Place): string | undefined {
  const found = foreignToNpx(folder, homeDirectory);
  return found && `what npx starts there depends on ${found}`;
}

export function pick(value: Json | undefined, names: readonly string[]): JsonObject {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

/** The servers of a section, without all but this one: a program may start each that it lists. */
export function onlyServer(file: JsonObject, section: string, name: string): JsonObject {
  return { [section]: pick(file[section], [name]) };
}

/** Output as plain text. */
export function plainOutput(output: string): string {
  // oxlint-disable-next-line no-control-regex
  return output.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, "");
}

/** The JSON object in an output, which may have other lines around it. */
export function jsonIn(output: string): JsonObject | undefined {
  try {
    const value = JSON.parse(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1)) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The line of a list that is about a server, and the line after it. */
export function lineAbout(output: string, name: string): readonly [string, string] | undefined {
  const lines = plainOutput(output).split("\n");
  const at = lines.findIndex((line) => line.split(/[\s:]+/).includes(name));
  return at < 0 ? undefined : [lines[at] ?? "", lines[at + 1] ?? ""];
}
