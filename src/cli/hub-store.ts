import { join } from "node:path";
import { openStore } from "../hub/index.ts";
import type { Store } from "../hub/index.ts";
import type { Io } from "./io.ts";

export interface HubStoreOptions {
  readonly io: Pick<Io, "environment">;
  readonly stateDirectory: string;
  /** As it was given on the command line. */
  readonly database: string | undefined;
  readonly onProblem?: (message: string) => void;
}

/** Where a hub of this user keeps what must outlive it. */
export function openHubStore({ stateDirectory, onProblem, ...wish }: HubStoreOptions): Promise<Store> {
  const database = hubDatabase({ stateDirectory, ...wish });
  return openStore({ database, importFrom: join(stateDirectory, "store"), ...(onProblem && { onProblem }) });
}

/** The database of a hub of this user: as it was given, else as the environment says, else one in the state directory. */
export function hubDatabase({ io, stateDirectory, database }: Omit<HubStoreOptions, "onProblem">): string {
  return database ?? (io.environment["PAGEWIRE_DATABASE"] || join(stateDirectory, "pagewire.db"));
}
