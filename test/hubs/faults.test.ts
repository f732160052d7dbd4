// Three hubs over one broker and one database, under load, and a fault of each kind.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHubsWorld } from "./support/hubs-world.ts";
import type { HubsWorld } from "./support/hubs-world.ts";
import { runHubFault } from "./support/run-hub-faults.ts";
import type { HubFault } from "./support/run-hub-faults.ts";
import { recordFault } from "../support/record-fault.ts";

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
];

test.each(faults)(
  "three hubs under load through %s: no call runs twice, none is told wrong, and every page is back",
  async (fault, time, words) => {
    const { calls, outcomes, doubles, lies, backAfter, slowest } = await runHubFault(world, { fault, time });
    console.log(JSON.stringify({ fault, calls, outcomes, backAfter, slowest, doubles, lies }));
    expect({ doubles, lies }).toEqual({ doubles: [], lies: [] });
    expect(outcomes["ok"]).toBeGreaterThan(0);
    expect(outcomes).not.toHaveProperty("never");
    recordFault("hubs", {
      fault: `${words}, under calls through all`,
      count: 1,
      expected: "doubles 0, lies 0, every page back",
      observed: "doubles 0, lies 0, every page back",
    });
  },
  180_000,
);
