import type { RoleProcess } from "./role-process.ts";
import type { Memory } from "./role.ts";

const pause = 1500;
const mostAsked = 8;
/** How often in a row it may give nothing back before it counts as settled, and how little is nothing. */
const steady = 2;
const little = 0.005;

/** A process gives memory back slowly: it is asked again until it stays as it is, and the least counts. */
export async function settledMemory(hub: RoleProcess, quick: boolean): Promise<Memory> {
  const asked = [await hub.memory()];
  let unchanged = 0;
  while (!quick && unchanged < steady && asked.length < mostAsked) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const memory = await hub.memory();
    const least = Math.min(...asked.map(({ rssBytes }) => rssBytes));
    unchanged = memory.rssBytes < least * (1 - little) ? 0 : unchanged + 1;
    asked.push(memory);
  }
  return {
    heapBytes: Math.min(...asked.map(({ heapBytes }) => heapBytes)),
    rssBytes: Math.min(...asked.map(({ rssBytes }) => rssBytes)),
  };
}
