// Three hubs over one broker and one database, under load, and a fault of each kind.
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { openHubsWorld } from "./support/hubs-world.ts";
import type { HubsWorld } from "./support/hubs-world.ts";
import { runHubFault } from "./support/run-hub-faults.ts";
import type { HubFault } from "./support/run-hub-faults.ts";

let world: HubsWorld;

beforeAll(async () => {
  world = await openHubsWorld(60);
}, 120_000);

afterAll(() => world?.close());

const faults: readonly (readonly [HubFault, number, string])[] = [
  ["kill", 0, "kill -9 of one of three hubs"],
  ["stop", 5000, "one of three hubs stopped for 5 s, and continued"],
  ["broker-restart", 1000, "the broker of three hubs killed, and started again after 1 s"],
  ["partition", 5000, "the broker of three hubs hangs for 5 s"],
  ["cut-off", 4000, "one of three hubs cut off from the broker for 4 s, not from the database"],
  ["database-restart", 1000, "the database of three hubs killed, and started again after 1 s"],
  ["database-failover", 0, "the database of three hubs killed, and a standby promoted"],
];

/** Milliseconds, on a machine that is slow. */
const mostBack = 25_000;
const mostUntilRefused = 10_000;

test.each(faults)(
  "MH82: three hubs under load through %s: no call runs twice, no outcome is wrong, keys keep theirs, every page is back",
  async (fault, time, words) => {
    const { calls, outcomes, doubles, lies, keysLost, ...rest } = await runHubFault(world, { fault, time });
    console.log(JSON.stringify({ fault, calls, outcomes, ...rest, doubles, lies, keysLost }));
    expect({ doubles, lies, keysLost }).toEqual({ doubles: [], lies: [], keysLost: [] });
    expect(outcomes["ok"]).toBeGreaterThan(0);
    expect(outcomes).not.toHaveProperty("never");
    expect(rest.backAfter).toBeLessThan(mostBack);
    expect(rest.refusedAfter ?? 0).toBeLessThan(mostUntilRefused);
    recordFault("hubs", {
      fault: `${words}, under calls through all`,
      count: 1,
      expected: "doubles 0, lies 0, keys lost 0, every page back",
      observed: "doubles 0, lies 0, keys lost 0, every page back",
    });
  },
  180_000,
);
