/** What the hub says of itself to its own pages. */
export interface AppInfo {
  readonly version: string;
  readonly mode: "local" | "jwt";
  readonly principal: string;
  /** Null where the hub has no model. */
  readonly model: HubModel | null;
  /** The origins whose pages may open this window. */
  readonly parentOrigins: readonly string[];
  /** Where the demo is, if the hub serves it. */
  readonly demo: string | null;
}

export interface HubModel {
  readonly provider: string;
  readonly models: readonly string[];
  readonly isRehearsal: boolean;
}

/** Somebody who is signed in, and what they may ask of the hub. */
export interface Session {
  /** What to bring to a new connection, to be asked for each. */
  bearer(): Promise<string>;
  readonly info: AppInfo;
  /** Asks the hub as this user. Rejects with a PagewireError that says what was refused; undefined where nothing came. */
  request(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<unknown>;
  /** Ends this, at the hub and in every tab of this browser. */
  signOut(): Promise<void>;
}
