// A session as another hub needs it to go on.
import { isLogLevel, olderVersions } from "../../../mcp/index.ts";
import type { ClientWords } from "../../../mcp/index.ts";
import { isJsonObject } from "../../../wire/index.ts";
import type { JsonObject, LogLevel } from "../../../wire/index.ts";

export interface SessionRecord {
  readonly principal: string;
  readonly credential: string;
  readonly tab: string | undefined;
  readonly words: Omit<ClientWords, "logLevel"> & { readonly version: string };
  readonly logLevel: LogLevel | undefined;
  readonly followed: readonly string[];
  /** How often it was taken over. */
  readonly moves: number;
}

/** A larger one is not kept: its client begins a new session when the hub is gone. */
const maxLength = 262_144;

/** Undefined if it is too large. */
export function toStored({ words, tab, logLevel, ...rest }: SessionRecord, forgetAt: number) {
  const { client, capabilities, version } = words;
  const named = { name: client.name, ...(client.version !== undefined && { version: client.version }) };
  const stored = {
    ...rest,
    tab: tab ?? null,
    logLevel: logLevel ?? null,
    client: named,
    capabilities,
    version,
    forgetAt,
  };
  return JSON.stringify(stored).length > maxLength ? undefined : stored;
}

export function fromStored(stored: JsonObject | undefined): SessionRecord | undefined {
  if (!stored) return undefined;
  const { principal, credential, tab, logLevel, client, capabilities, version, followed, moves } = stored;
  if (typeof principal !== "string" || typeof credential !== "string" || !isJsonObject(capabilities)) return undefined;
  if (typeof version !== "string" || !olderVersions.includes(version)) return undefined;
  if (!isJsonObject(client) || typeof client["name"] !== "string") return undefined;
  const { name, version: clientVersion } = client;
  const named = { name, version: typeof clientVersion === "string" ? clientVersion : undefined };
  return {
    principal,
    credential,
    tab: typeof tab === "string" ? tab : undefined,
    words: { client: named, capabilities, version },
    logLevel: isLogLevel(logLevel) ? logLevel : undefined,
    followed: Array.isArray(followed) ? followed.filter((uri) => typeof uri === "string") : [],
    moves: typeof moves === "number" ? moves : 0,
  };
}
