import { join } from "node:path";
import { createFileStore, createMemoryStore } from "../hub/index.ts";
import type { Store } from "../hub/index.ts";
import { messageOf } from "../wire/index.ts";

/** Where a hub of this user keeps its conversations; in memory where the disk does not let it. */
export function openHubStore(stateDirectory: string, onProblem: (message: string) => void): Store {
  try {
    return createFileStore({ directory: join(stateDirectory, "store"), onProblem });
  } catch (error) {
    onProblem(`${messageOf(error)} The conversations of this hub end with it.`);
    return createMemoryStore();
  }
}
