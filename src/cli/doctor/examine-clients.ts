// Looks into the files of MCP clients: whether they name this hub, reach it, and keep its token to themselves.
import { messageOf } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { ClientDefinition, Place, Scope } from "../connect/clients/client.ts";
import { clientTable } from "../connect/clients/client-table.ts";
import { readConfigFile } from "../connect/config/config-file.ts";
import type { Io } from "../io.ts";
import type { ClientEntry, KnownHub } from "./client-entry.ts";
import { examineEntry } from "./examine-entry.ts";
import { hint } from "./finding.ts";
import type { Finding } from "./finding.ts";

/** What the clients' files of this project and of this user say about Pagewire. Where there are none, nothing. */
export async function examineClients(io: Io, project: string, hub: KnownHub): Promise<readonly Finding[]> {
  const place: Place = { ...io, project };
  const findings = await Promise.all(clientTable.map((client) => examineClient(client, place, hub)));
  return findings.flat();
}

async function examineClient(client: ClientDefinition, place: Place, hub: KnownHub): Promise<readonly Finding[]> {
  const files = await Promise.all((["project", "user"] as const).map((scope) => readFile(client, scope, place)));
  const entries = files.flatMap((file) => file.entries ?? []).filter((entry) => isOurs(entry, hub));
  const broken = files.flatMap(({ finding }) => (finding === undefined ? [] : [finding]));
  const named = await Promise.all(entries.map((entry) => examineEntry(entry, place, hub).catch(unknownState(entry))));
  const isThere = files.some((file) => file.entries !== undefined);
  const isUnknown = isThere && entries.length === 0 && broken.length === 0;
  return [
    ...broken,
    ...named.flat(),
    ...(isUnknown
      ? [
          hint(
            "clients",
            `${client.title} is set up here and does not know Pagewire.`,
            `Connect it with: npx pagewire connect ${client.id} --write`,
          ),
        ]
      : []),
  ];
}

/** An entry may lead to a state directory that cannot be read. */
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
      entries: servers.map(([name, entry]) => ({ client, scope, path, name, entry: entry as JsonObject })),
    };
  } catch (error) {
    const message = `${client.title} may not be able to read ${path}: ${messageOf(error)}`;
    return { finding: hint("clients", message, "Put the file right; nothing in it was changed.") };
  }
}

/** Whether a server is Pagewire: by its name, its command, or its address. */
function isOurs({ name, entry }: ClientEntry, hub: KnownHub): boolean {
  const { command, args, url } = entry;
  const words = [name, command, ...(Array.isArray(args) ? args : [])];
  if (words.some((word) => typeof word === "string" && /pagewire/i.test(word))) return true;
  return typeof url === "string" && url.startsWith(`${hub.url}/mcp`);
}
