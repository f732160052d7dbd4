// Floods one tenant's endpoint of a hub while another tenant is served. This records the memory growth; the bench (`floods`)
// checks it against its limit, after the same amount of ordinary load.
import { recordAttack } from "../../../support/record-fault.ts";
import type { BesiegedHub } from "../besieged-hub.test-helper.ts";
import { startBystander } from "../bystander.test-helper.ts";

const MB = 1024 * 1024;
const expected = "a bystander's calls all answered";

/** Runs an attack beside a bystander, and returns the peak growth of the hub's memory. */
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

/** Records a row: the number of attacks, and the growth. */
export function noteFlood(attack: string, count: number, growth: number): void {
  const observed = `${expected}; ${Math.round(growth / MB)} MB more at most`;
  recordAttack("floods", { fault: attack, count, expected, observed });
}
