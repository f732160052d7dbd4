// The hub's API about itself, its tabs and its agents: docs/reference/http-api.md.
import { isJsonObject } from "pagewire/wire";
import type { JsonObject, Offer, TabInfo } from "pagewire/wire";

export interface Budget {
  readonly name: string;
  readonly used: number;
  readonly max: number;
}

export interface HubStatus {
  readonly version: string;
  readonly mode: "local" | "jwt" | "team";
  readonly principal: string;
  readonly startedAt: string;
  readonly provider: string | null;
  readonly models: readonly string[];
  readonly isRehearsal: boolean;
  readonly demo: string | null;
  readonly hasTerminals: boolean;
  readonly isStoreOk: boolean;
  readonly isRecorded: boolean;
  readonly tabs: number;
  readonly agents: number;
  readonly callsInFlight: number;
  readonly terminals: number | null;
  readonly budgets: readonly Budget[];
  /** Of the hub's process; in local mode only. */
  readonly rssBytes?: number;
  readonly heapBytes?: number;
  readonly cpuSeconds?: number;
  /** Only where there are several. */
  readonly hubs?: readonly HubOfUser[];
}

/** One of several hubs, with what the user has there; null of one that does not answer. */
export interface HubOfUser {
  readonly name: string;
  readonly version: string;
  readonly startedAt: string;
  readonly isStopping: boolean;
  readonly tabs: number | null;
  readonly agents: number | null;
  readonly callsInFlight: number | null;
}

/** A tab with everything that it offers. */
export interface HubTab extends Omit<TabInfo, "tools">, Offer {
  readonly via: "socket" | "shared-socket";
  readonly since: string;
  /** Only where there are several. */
  readonly hub?: string;
}

/** A page that its user disconnected, and that is open still. */
export interface DisconnectedTab extends Pick<TabInfo, "tabId" | "app" | "origin" | "title" | "url"> {
  readonly at: string;
}

export interface HubAgent {
  readonly name: string;
  readonly version?: string;
  readonly door: string;
  readonly principal: string;
  readonly since: string;
  readonly lastSeen: string;
  readonly calls: number;
  readonly callsInFlight: number;
  readonly connections: number;
  /** Only where there are several. */
  readonly hub?: string;
}

/** The hub served this page too, and is of one version with it: what it lists needs no closer look than this. */
export function listIn<Item>(answer: unknown, name: string): readonly Item[] {
  const list = isJsonObject(answer) ? answer[name] : undefined;
  return Array.isArray(list) ? (list.filter(isJsonObject) as unknown as Item[]) : [];
}

export function cursorIn(answer: unknown): string | undefined {
  const { nextCursor } = Object(answer) as { readonly nextCursor?: unknown };
  return typeof nextCursor === "string" ? nextCursor : undefined;
}

export function statusIn(answer: unknown): HubStatus | undefined {
  return isJsonObject(answer) && typeof answer["version"] === "string" && Array.isArray(answer["budgets"])
    ? (answer as JsonObject as unknown as HubStatus)
    : undefined;
}
