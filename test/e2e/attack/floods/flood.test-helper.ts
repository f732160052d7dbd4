// Floods one tenant's way into a hub while another is served. What it costs in memory is written down, and held to its bar by
// the bench (`floods`), which first serves as much to those who read.
import { recordAttack } from "../../../support/record-fault.ts";
import type { BesiegedHub } from "../besieged-hub.test-helper.ts";
import { startBystander } from "../bystander.test-helper.ts";

const MB = 1024 * 1024;
const expected = "a bystander's calls all answered";

/** Runs an attack beside a bystander, and gives how far the hub's memory grew at most. */
export async function growthUnder(besieged: BesiegedHub, attack: () => Promise<void>): Promise<number> {
  const bystander = await startBystander(besieged);
  const before = besieged.memory();
  let most = before;
  const look = setInterval(() => (most = Math.max(most, besieged.memory())), 50);
  try {
    await attack();
  } finally {
    clearInterval(look);
  }
  await bystander.expectUnharmed();
  return Math.max(most, besieged.memory()) - before;
}

/** Writes a row: how often it was done, and the growth. */
export function noteFlood(attack: string, count: number, growth: number): void {
  const observed = `${expected}; ${Math.round(growth / MB)} MB more at most`;
  recordAttack("floods", { fault: attack, count, expected, observed });
}
