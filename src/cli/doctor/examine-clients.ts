// Checks the configuration files of MCP clients: whether they name this hub, reach it, and keep its token secret.
import { messageOf, isJsonObject } from "../../wire/index.ts";
import type { JsonObject, Json } from "../../wire/index.ts";
import type { ClientDefinition, Place, Scope } from "../connect/clients/client.ts";
import { clientTable } from "../connect/clients/client-table.ts";
import { readConfigFile } from "../connect/config/config-file.ts";
import type { Io } from "../common/io.ts";
import { hint, warning, well } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { examinePrograms } from "./examine-programs.ts";
import { findCommand } from "./run-briefly.ts";
import type { ClientEntry } from "./programs/program.ts";
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { openState, stateDirectory } from "../../state/index.ts";
import { askHealth } from "../reach-hub/ask-health.ts";

/**
 * Examines the clients' files of this project and this user, and asks the installed programs. Reports nothing where there
 * are none.
 */
export async function examineClients(io: Io, project: string, hub: KnownHub): Promise<readonly Finding[]> {
  const place: Place = { ...io, project };
  const examined = await Promise.all(clientTable.map((client) => examineClient(client, place, hub)));
  const entries = examined.flatMap(({ reaching }) => reaching);
  return [
    ...examined.flatMap(({ findings }) => findings),
    ...entries.flatMap((entry) => examineLimits(entry, hub)),
    ...(await examinePrograms(
      entries.filter((entry) => isSafeToAsk(entry, hub)),
      { io, place, again: writeCommand },
    )),
  ];
}

interface Examined {
  readonly findings: readonly Finding[];
  /** The entries that lead to a hub that runs. */
  readonly reaching: readonly ClientEntry[];
}

async function examineClient(client: ClientDefinition, place: Place, hub: KnownHub): Promise<Examined> {
  const files = await Promise.all((["project", "user"] as const).map((scope) => readFile(client, scope, place)));
  const entries = files.flatMap((file) => file.entries ?? []).filter((entry) => isOurs(entry, hub));
  const broken = files.flatMap(({ finding }) => (finding === undefined ? [] : [finding]));
  const named = await Promise.all(entries.map((entry) => examineEntry(entry, place, hub).catch(unknownState(entry))));
  const isThere = files.some((file) => file.entries !== undefined);
  const isUnknown = isThere && entries.length === 0 && broken.length === 0;
  const unknown = hint(
    "clients",
    `${client.title} is set up here and does not know Pagewire.`,
    `Connect it with: npx pagewire connect ${client.id} --write`,
  );
  return {
    findings: [...broken, ...named.flat(), ...(isUnknown ? [unknown] : [])],
    reaching: entries.filter((_, index) => named[index]?.at(-1)?.state === "well"),
  };
}

/** Whether a program that is asked about an entry starts Pagewire for it, or sends its token to a hub that has proved itself. */
function isSafeToAsk({ entry }: ClientEntry, hub: KnownHub): boolean {
  const url = addressOf(entry);
  if (typeof url === "string") return hub.token !== undefined && url.startsWith(`${hub.url}/mcp`);
  const words = [...(typeof entry["command"] === "string" ? [entry["command"]] : []), ...textsOf(entry["args"])];
  return words.includes("mcp") && words.some((word) => /pagewire|main\.js$/.test(word));
}

/** The hub's tools that a client leaves out. */
function examineLimits({ client, name, entry }: ClientEntry, { tools = [] }: KnownHub): readonly Finding[] {
  const { limits, title } = client;
  if (!limits || textsOf(entry["args"]).includes("--tab")) return [];
  const { name: tooLong = Infinity, tools: most } = limits;
  const long = tools.filter((tool) => tool.length + name.length >= tooLong);
  const few = "call_tab_tool reaches every tool all the same; so does an entry for one tab: connect --tab.";
  return [
    ...(long.length === 0
      ? []
      : [
          hint(
            "clients",
            `${title} leaves out ${long.length} of the hub's ${tools.length} tools, because their names and "${name}" have ${tooLong} characters or more: ${listed(long)}.`,
            "call_tab_tool reaches them all the same. A shorter --name, or a shorter name of the tool, brings them back.",
          ),
        ]),
    ...(tools.length <= most
      ? []
      : [hint("clients", `${title} may use only ${most} of the hub's ${tools.length} tools.`, few)]),
  ];
}

function listed(names: readonly string[]): string {
  const [first = "", second, ...more] = names;
  return second === undefined ? first : `${first}, ${second}${more.length > 0 ? ` and ${more.length} more` : ""}`;
}

/** An entry may refer to a state directory that cannot be read. */
function unknownState({ client, name, path }: ClientEntry): (error: unknown) => readonly Finding[] {
  return (error) => [hint("clients", `${client.title}: ${name} in ${path} cannot be followed: ${messageOf(error)}`)];
}

interface ClientFile {
  /** Undefined where there is no file. */
  readonly entries?: readonly ClientEntry[];
  readonly finding?: Finding;
}

async function readFile(client: ClientDefinition, scope: Scope, place: Place): Promise<ClientFile> {
  const path = client.configPath(scope, place);
  if (path === undefined) return {};
  try {
    const text = readConfigFile(path);
    if (text === undefined) return {};
    const others = client.otherServers?.(await client.format.parse(text), place) ?? {};
    const servers = Object.entries({ ...others, ...(await client.format.servers(text)) });
    return {
      entries: servers.map(([name, entry]) => {
        const common = client.commonEntry?.(entry as JsonObject) ?? (entry as JsonObject);
        return { client, scope, path, name, entry: common, written: entry as JsonObject };
      }),
    };
  } catch (error) {
    const message = `${client.title} may not be able to read ${path}: ${messageOf(error)}`;
    return { finding: hint("clients", message, "Put the file right; nothing in it was changed.") };
  }
}

/** Whether a server is Pagewire: by its name, its command, or its address. */
function isOurs({ name, entry }: ClientEntry, hub: KnownHub): boolean {
  const { command, args } = entry;
  const url = addressOf(entry);
  const words = [name, command, ...(Array.isArray(args) ? args : [])];
  if (words.some((word) => typeof word === "string" && /pagewire/i.test(word))) return true;
  return typeof url === "string" && url.startsWith(`${hub.url}/mcp`);
}

/** Whether a client's entry for Pagewire reaches a hub, and whether it exposes the token. */
async function examineEntry(
  { client, scope, path, name, entry }: ClientEntry,
  place: Place,
  known: KnownHub,
): Promise<readonly Finding[]> {
  const where = `${client.title}: ${name} in ${path}`;
  const again = writeCommand({ client, scope, name });
  const secrets = secretsIn(entry);
  const leak =
    scope === "project" && secrets.length > 0
      ? [
          warning(
            "clients",
            `${where} holds a token, and the file is one that a project shares.`,
            `Put the form without a token there: ${again}`,
            "Was the file ever shared or committed? Then the token is known: npx pagewire token rotate",
          ),
        ]
      : [];
  return [...leak, ...(await examineTarget({ client, where, again, entry, secrets }, place, known))];
}

function writeCommand({ client, scope, name }: Pick<ClientEntry, "client" | "scope" | "name">): string {
  const file = scope === client.defaultScope ? "" : scope === "user" ? " --user" : " --project .";
  return `npx pagewire connect ${client.id} --write${file}${name === "pagewire" ? "" : ` --name ${name}`}`;
}

interface Target {
  readonly client: ClientDefinition;
  readonly where: string;
  /** The command that rewrites the entry. */
  readonly again: string;
  readonly entry: JsonObject;
  readonly secrets: readonly string[];
}

async function examineTarget(
  { client, where, again, entry, secrets }: Target,
  place: Place,
  known: KnownHub,
): Promise<readonly Finding[]> {
  const missing = missingFile(entry);
  if (missing !== undefined) {
    return [hint("clients", `${where} starts ${missing}, which no longer exists.`, `Rewrite it with: ${again}`)];
  }
  const { command } = entry;
  if (client.needsPath && typeof command === "string" && !isAbsolute(command)) {
    return [
      hint(
        "clients",
        `${where} starts "${command}", which an app that is started from a menu may not find.`,
        `Give it full paths: ${again}`,
      ),
    ];
  }
  if (
    typeof command === "string" &&
    place.environment["PATH"] &&
    !/[\\/]/.test(command) &&
    !findCommand(command, place)
  ) {
    return [hint("clients", `${where} starts "${command}", which is not on your PATH.`, `Rewrite it with: ${again}`)];
  }
  const hub = hubOf(entry, place);
  if (hub === undefined) {
    return [
      hint(
        "clients",
        `${where} finds no hub at the moment.`,
        "It starts one when it is needed, or you do: npx pagewire",
      ),
    ];
  }
  // Only the client knows the values of its variables.
  if (hub.includes("${")) return [well("clients", `${where} is there.`)];
  if ((await askHealth(hub)) !== "hub") {
    const message = `${where} looks for a hub at ${hub}, where none answers.`;
    return [hint("clients", message, `Start one, or rewrite the entry with: ${again}`)];
  }
  const isOld = hub === known.url && known.token !== undefined && secrets.some((secret) => secret !== known.token);
  if (isOld)
    return [hint("clients", `${where} uses a token that this hub no longer accepts.`, `Rewrite it with: ${again}`)];
  return [well("clients", `${where} reaches the hub at ${hub}.`)];
}

/** The address that an entry leads to; undefined where it leads to a hub that does not run. */
function hubOf(entry: JsonObject, { environment, platform, homeDirectory }: Place): string | undefined {
  const { args, env } = entry;
  const url = addressOf(entry);
  if (typeof url === "string") return url.replace(/\/mcp(\/tabs\/[^/]*)?\/?$/, "");
  const words = textsOf(args);
  const at = words.indexOf("--hub");
  const given = words[at + 1];
  const variables = isJsonObject(env) ? env : {};
  const named =
    at >= 0 ? given : (words.find((word) => word.startsWith("--hub="))?.slice(6) ?? variables["PAGEWIRE_URL"]);
  if (typeof named === "string") return named;
  const { PAGEWIRE_HOME } = variables;
  const home = typeof PAGEWIRE_HOME === "string" ? { ...environment, PAGEWIRE_HOME } : environment;
  const directory = stateDirectory(home, platform, homeDirectory);
  return existsSync(directory) ? openState(directory).runningHub()?.url : undefined;
}

function addressOf({ url, httpUrl, serverUrl }: JsonObject): Json | undefined {
  return url ?? httpUrl ?? serverUrl;
}

/** The program that an entry names by its path and that is not there. */
function missingFile({ command, args }: JsonObject): string | undefined {
  const [script] = textsOf(args);
  return [command, script].find((path): path is string => {
    return typeof path === "string" && isAbsolute(path) && path !== "/c" && !existsSync(path);
  });
}

/** The tokens in an entry that are written out, not referenced by a variable. */
function secretsIn({ headers, http_headers: httpHeaders, env, args }: JsonObject): readonly string[] {
  const bearers = [...valuesOf(headers), ...valuesOf(httpHeaders), ...textsOf(args)].flatMap((text) => {
    const [, secret] = /\bBearer\s+(\S+)/i.exec(text) ?? [];
    return secret === undefined ? [] : [secret];
  });
  const variable = isJsonObject(env) ? env["PAGEWIRE_TOKEN"] : undefined;
  const all = typeof variable === "string" ? [...bearers, variable] : bearers;
  return all.filter((secret) => secret !== "" && !secret.startsWith("$") && !secret.startsWith("{env:"));
}

function valuesOf(value: Json | undefined): readonly string[] {
  return isJsonObject(value) ? textsOf(Object.values(value)) : [];
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each: Json): each is string => typeof each === "string") : [];
}

/** The examined hub, with its token if the hub accepts that. */
interface KnownHub {
  readonly url: string;
  readonly token?: string;
  /** The names of the tools that it lists. */
  readonly tools?: readonly string[];
}
