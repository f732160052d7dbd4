import type { JsonObject } from "../../wire/index.ts";
import type { ClientDefinition, Scope } from "../connect/clients/client.ts";

/** What is known of the hub that was looked at; the token where the hub takes it. */
export interface KnownHub {
  readonly url: string;
  readonly token?: string;
}

/** One server that a client's file names. */
export interface ClientEntry {
  readonly client: ClientDefinition;
  readonly scope: Scope;
  readonly path: string;
  readonly name: string;
  readonly entry: JsonObject;
}
