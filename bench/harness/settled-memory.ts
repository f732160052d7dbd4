import type { RoleProcess } from "./role-process.ts";
import type { Memory } from "./role.ts";

/** A process gives memory back slowly: it is asked again until a while has passed, and the least counts. */
export async function settledMemory(hub: RoleProcess, quick: boolean): Promise<Memory> {
  const asked = [await hub.memory()];
  while (!quick && asked.length < 8) {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    asked.push(await hub.memory());
  }
  return {
    heapBytes: Math.min(...asked.map(({ heapBytes }) => heapBytes)),
    rssBytes: Math.min(...asked.map(({ rssBytes }) => rssBytes)),
  };
}
