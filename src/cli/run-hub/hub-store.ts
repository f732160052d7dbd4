import { join } from "node:path";
import { openStore } from "../../hub/index.ts";
import type { Store } from "../../hub/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";

export interface HubStoreOptions {
  readonly io: Pick<Io, "environment">;
  readonly stateDirectory: string;
  /** Exactly as given on the command line. */
  readonly database: string | undefined;
  /** The hub's name in the audit. */
  readonly hub?: string | undefined;
  readonly limits?: Partial<Limits>;
  readonly onProblem?: (message: string) => void;
}

/** Opens the store of this user's hub. */
export function openHubStore({ stateDirectory, limits, onProblem, hub, ...wish }: HubStoreOptions): Promise<Store> {
  const database = hubDatabase({ stateDirectory, ...wish });
  const importFrom = join(stateDirectory, "store");
  return openStore({
    database,
    importFrom,
    ...(hub !== undefined && { hub }),
    ...(limits && { limits }),
    ...(onProblem && { onProblem }),
  });
}

/** The database of this user's hub: from the command line, else from the environment, else in the state directory. */
export function hubDatabase({
  io,
  stateDirectory,
  database,
}: Omit<HubStoreOptions, "limits" | "onProblem" | "hub">): string {
  return database ?? (io.environment["PAGEWIRE_DATABASE"] || join(stateDirectory, "pagewire.db"));
}
