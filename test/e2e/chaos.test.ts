// A short run of the chaos driver. `npm run chaos` has longer ones, over any seed.
import { expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { count, describeViolations } from "../chaos/check/report.ts";
import { runChaos } from "../chaos/run-chaos.ts";

test("forty seconds of chaos break no promise", async () => {
  const { history, violations } = await runChaos({ seed: "20", minutes: 40 / 60, database: "sqlite" });
  expect(violations.map((violation) => describeViolations([violation], history)).join("\n\n")).toBe("");
  const { faults } = count(history);
  recordFault("chaos", {
    fault: "faults of all kinds at random under thirteen callers by three doors and six tabs, a short run",
    expected: "doubles 0, lies 0, hangs 0, every tab back",
    observed: "doubles 0, lies 0, hangs 0, every tab back",
    count: faults,
  });
}, 900_000);
