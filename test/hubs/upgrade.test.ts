// All hubs are replaced in turn while agents call through all doors, behind a load balancer.
import { expect, onTestFinished, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { callByAllDoors } from "./support/callers.ts";
import { openHubsWorld } from "./support/hubs-world.ts";

test("MH80: a rolling upgrade under load loses no call, doubles none, and no agent sees an error", async () => {
  const world = await openHubsWorld(60);
  onTestFinished(() => world.close());
  const ending = new AbortController();
  const calling = callByAllDoors(world, ending.signal);
  for (const hub of world.hubs) {
    await hub.restart();
    await world.back(world.hubs, 0);
  }
  ending.abort();
  const ended = await calling;
  const errors = ended.filter(({ outcome }) => outcome !== "ok");
  const doubles = [...world.runs].filter(([, count]) => count > 1);
  const lost = ended.filter(({ tag }) => !world.runs.has(tag));
  const counts = Object.fromEntries(
    ["http", "mcp", "agent"].map((door) => [door, ended.filter((each) => each.door === door).length]),
  );
  console.log(JSON.stringify({ counts, errors: errors.length, doubles: doubles.length, lost: lost.length }));
  expect({ errors, doubles, lost }).toEqual({ errors: [], doubles: [], lost: [] });
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(10);
  recordFault("hubs", {
    fault: "SIGTERM of three hubs in turn, each started again, under calls by HTTP, MCP 2026-07-28 and /agent",
    count: world.hubs.length,
    expected: "lost 0, doubles 0, errors 0",
    observed: "lost 0, doubles 0, errors 0",
  });
});
