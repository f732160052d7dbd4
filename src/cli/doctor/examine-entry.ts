import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { openState, stateDirectory } from "../../state/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import type { Place } from "../connect/clients/client.ts";
import { askHealth } from "./ask-health.ts";
import type { ClientEntry, KnownHub } from "./client-entry.ts";
import { hint, warning, well } from "./finding.ts";
import type { Finding } from "./finding.ts";

/** Whether a client's entry for Pagewire reaches a hub, and whether it gives the token away. */
export async function examineEntry(
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
  return [...leak, ...(await examineTarget({ where, again, entry, secrets }, place, known))];
}

function writeCommand({ client, scope, name }: Pick<ClientEntry, "client" | "scope" | "name">): string {
  const file = scope === client.defaultScope ? "" : scope === "user" ? " --user" : " --project .";
  return `npx pagewire connect ${client.id} --write${file}${name === "pagewire" ? "" : ` --name ${name}`}`;
}

interface Target {
  readonly where: string;
  /** The command that writes the entry anew. */
  readonly again: string;
  readonly entry: JsonObject;
  readonly secrets: readonly string[];
}

async function examineTarget(
  { where, again, entry, secrets }: Target,
  place: Place,
  known: KnownHub,
): Promise<readonly Finding[]> {
  const missing = missingFile(entry);
  if (missing !== undefined) {
    return [hint("clients", `${where} starts ${missing}, which is not there any more.`, `Write it anew: ${again}`)];
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
  // Only the client knows what its variables stand for.
  if (hub.includes("${")) return [well("clients", `${where} is there.`)];
  if ((await askHealth(hub)) !== "hub") {
    const message = `${where} looks for a hub at ${hub}, where none answers.`;
    return [hint("clients", message, `Start one, or write the entry anew: ${again}`)];
  }
  const isOld = hub === known.url && known.token !== undefined && secrets.some((secret) => secret !== known.token);
  if (isOld)
    return [hint("clients", `${where} brings a token that is not this hub's any more.`, `Write it anew: ${again}`)];
  return [well("clients", `${where} reaches the hub at ${hub}.`)];
}

/** The address that an entry leads to; undefined where it leads to a hub that does not run. */
function hubOf({ url, args, env }: JsonObject, { environment, platform, homeDirectory }: Place): string | undefined {
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

/** The program that an entry names by its path and that is not there. */
function missingFile({ command, args }: JsonObject): string | undefined {
  const [script] = textsOf(args);
  return [command, script].find((path): path is string => {
    return typeof path === "string" && isAbsolute(path) && path !== "/c" && !existsSync(path);
  });
}

/** The tokens that stand in an entry as they are, not as a variable. */
function secretsIn({ headers, http_headers: httpHeaders, env, args }: JsonObject): readonly string[] {
  const bearers = [...valuesOf(headers), ...valuesOf(httpHeaders), ...textsOf(args)].flatMap((text) => {
    const [, secret] = /\bBearer\s+(\S+)/i.exec(text) ?? [];
    return secret === undefined ? [] : [secret];
  });
  const variable = isJsonObject(env) ? env["PAGEWIRE_TOKEN"] : undefined;
  const all = typeof variable === "string" ? [...bearers, variable] : bearers;
  return all.filter((secret) => secret !== "" && !secret.startsWith("$"));
}

function valuesOf(value: Json | undefined): readonly string[] {
  return isJsonObject(value) ? textsOf(Object.values(value)) : [];
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each: Json): each is string => typeof each === "string") : [];
}
