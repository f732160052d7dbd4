import { dirname, relative, resolve } from "node:path";
import { identifierPattern } from "../../wire/index.ts";
import { findClient } from "../connect/clients/client-table.ts";
import type { ClientDefinition, Scope } from "../connect/clients/client.ts";
import type { Bounded } from "../connect/config/config-file.ts";
import { connectionFor } from "../connect/connection.ts";
import { showClients, showConnection } from "../connect/show-connection.ts";
import { showWriting } from "../connect/show-writing.ts";
import { defineCommand, hubOptions, usageError } from "../command.ts";
import type { OptionValues } from "../command.ts";
import { openOwnState } from "../find-hub.ts";
import type { Io } from "../io.ts";

const options = {
  write: { type: "boolean", summary: "Write the form without a token into the client's file." },
  "dry-run": { type: "boolean", summary: "Show what --write would write." },
  project: { type: "string", value: "DIR", summary: "The project whose file it is; else the current folder." },
  user: { type: "boolean", summary: "Your own file, for all projects." },
  name: { type: "string", value: "NAME", summary: "What the client calls the hub; else pagewire." },
  tab: { type: "string", value: "ID", summary: "One tab alone, its tools under their own names." },
  absolute: { type: "boolean", summary: "Name Node and this installation by their full paths." },
  ...hubOptions,
} as const;

type Values = OptionValues<typeof options>;

export const connect = defineCommand({
  name: "connect",
  summary: "Connect an MCP client, such as Claude Code or Cursor.",
  usage: "[client]",
  positionals: { least: 0, most: 1 },
  options,
  notes: [
    "Without a client it lists them. It shows what a client needs; --write puts it into the client's file, keeps everything else there as it is, and writes no token.",
    "--absolute is for clients that do not find npx, such as those that are started from a menu and not from a shell.",
  ],
  examples: [
    "pagewire connect",
    "pagewire connect claude-code",
    "pagewire connect cursor --write",
    "pagewire connect vscode --write --user --name sales --tab 7f3a",
  ],
  async run({ io, printer, values, positionals: [clientName] }) {
    if (clientName === undefined) {
      if (values.write || values["dry-run"]) throw usageError("Which client? See them with: npx pagewire connect");
      return showClients(io, printer);
    }
    const client = findClient(clientName);
    const scope = scopeOf(values, client);
    const project = resolve(values.project ?? ".");
    const { hub, tab, absolute: isAbsolute } = checked(values);
    const name = nameOf(values, client);
    const writeWords = writeWordsOf(values, client);
    const path = client.configPath(scope, { ...io, project });
    if (path === undefined) throw usageError(`${client.title} has no file of a project's. Leave out --project.`);
    const choices = { scope, path, project, name, tab, hub, isAbsolute, writeWords, state: openOwnState(io) };
    const connection = connectionFor(client, choices, io);
    if (!values.write && !values["dry-run"]) return showConnection(client, connection, printer);
    const file = { path, ...boundsOf(scope === "project" ? project : undefined, path, io) };
    return showWriting({ client, file, isDry: values["dry-run"] }, connection, printer);
  },
});

function scopeOf({ project, user }: Values, client: ClientDefinition): Scope {
  if (project !== undefined && user) throw usageError("Give --project or --user, not both.");
  if (user) return "user";
  return project === undefined ? client.defaultScope : "project";
}

/** What is written for a project stays in the project; what is the user's own, where that is kept. */
function boundsOf(project: string | undefined, path: string, { homeDirectory }: Io): Omit<Bounded, "path"> {
  if (project !== undefined) return { folder: project, owner: "the project" };
  const isAtHome = !relative(homeDirectory, path).startsWith("..");
  return { folder: isAtHome ? homeDirectory : dirname(path), owner: "your own configuration" };
}

function checked(values: Values): Values {
  const { tab } = values;
  if (tab === undefined || identifierPattern.test(tab)) return values;
  throw usageError(`"${tab}" is not the id of a tab. List the tabs with: npx pagewire tabs`);
}

/** What every client takes for a name. */
function nameOf({ name = "pagewire" }: Values, { title, reservedNames = [] }: ClientDefinition): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw usageError(`--name must be 1 to 64 letters, digits, dashes or underscores, not "${name}".`);
  }
  if (reservedNames.includes(name)) throw usageError(`${title} keeps the name "${name}" for itself: choose another.`);
  return name;
}

function writeWordsOf(values: Values, { id }: ClientDefinition): readonly string[] {
  const given = (["project", "name", "tab", "hub"] as const).flatMap((option) => {
    const value = values[option];
    return value === undefined ? [] : [`--${option}`, value];
  });
  const flags = (["user", "absolute"] as const).flatMap((option) => (values[option] ? [`--${option}`] : []));
  return ["connect", id, "--write", ...flags, ...given];
}
