import type { Method } from "./ask-hub.ts";

/** The hub's description of itself for its own pages. */
export interface AppInfo {
  readonly version: string;
  readonly mode: "local" | "jwt" | "team";
  readonly principal: string;
  /** In team mode: who that is. */
  readonly me?: Me;
  /** Null where the hub has no model. */
  readonly model: HubModel | null;
  /** The origins whose pages may open this window. */
  readonly parentOrigins: readonly string[];
  /** The demo's address, if the hub serves it. */
  readonly demo: string | null;
  /** Whether the hub has terminals. */
  readonly terminals: boolean;
}

/** A person of an organisation, or a service account. */
export interface Me {
  readonly organisation: string;
  /** As a person would say it. */
  readonly name: string;
  /** Whether they govern the organisation, and may do so here. */
  readonly isAdmin: boolean;
}

export interface HubModel {
  readonly provider: string;
  readonly models: readonly string[];
  readonly isRehearsal: boolean;
}

/** A signed-in user, and the requests that they may send to the hub. */
export interface Session {
  /** The credential for a new connection, requested for each. */
  bearer(): Promise<string>;
  readonly info: AppInfo;
  /** Sends a request to the hub as this user. Rejects with a PagewireError; undefined where the response is empty. */
  request(method: Method, path: string, body?: object | string): Promise<unknown>;
  /** Ends this, at the hub and in every tab of this browser. */
  signOut(): Promise<void>;
}

/** A user, as a person would say it. */
export function nameOf({ me, principal }: Pick<AppInfo, "me" | "principal">): string {
  return me ? `${me.name}, ${me.organisation}` : principal;
}
