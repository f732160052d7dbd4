// An agent's hub dies under its calls, and it comes back at another.
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { callByAllDoors } from "./support/callers.ts";
import { openHubsWorld } from "./support/hubs-world.ts";

test("MH83: an agent whose hub is killed goes on at another: calls with a key end there, others as unknown, none runs twice", async () => {
  const world = await openHubsWorld(20);
  onTestFinished(() => world.close());
  const ending = new AbortController();
  const calling = callByAllDoors(world, ending.signal);
  for (const hub of world.hubs) {
    await pause(500);
    await hub.kill();
    await world.back(
      world.hubs.filter((other) => other !== hub),
      0,
    );
    await hub.restart();
    await world.back(world.hubs, 0);
  }
  ending.abort();
  const ended = await calling;
  const agents = ended.filter(({ door }) => door === "agent");
  const keyed = agents.filter(({ key }) => key !== undefined);
  const others = agents.filter(({ key }) => key === undefined);
  const doubles = [...world.runs].filter(([, count]) => count > 1);
  const lies = ended.filter(({ tag, ran }) => ran === "no" && world.runs.has(tag));
  const counts = (some: typeof ended) =>
    some.reduce<Record<string, number>>((sum, { outcome }) => ({ ...sum, [outcome]: (sum[outcome] ?? 0) + 1 }), {});
  console.log(JSON.stringify({ keyed: counts(keyed), others: counts(others), doubles, lies }));
  expect({ doubles, lies }).toEqual({ doubles: [], lies: [] });
  expect(keyed.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
  const honest = ["ok", "outcome-unknown", "not-delivered"];
  expect(others.filter(({ outcome }) => !honest.includes(outcome))).toEqual([]);
  recordFault("hubs", {
    fault: "kill -9 of each of three hubs in turn, under calls of agents that come back at another",
    count: world.hubs.length,
    expected: "doubles 0, lies 0, every key ok",
    observed: "doubles 0, lies 0, every key ok",
  });
});
