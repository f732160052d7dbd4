import { expect, test } from "vitest";
import { presenceOf, createRoster, mostAgents } from "./roster.ts";
import type { Roster } from "./roster.ts";

let clock = 0;
let last = 0;

function start(roster: Roster, agent: string, agentVersion?: string): string {
  const id = `c${++last}`;
  clock += 1000;
  roster.take({ event: "started", id, method: "tools/call", name: "work", agent, agentVersion });
  return id;
}

function end(roster: Roster, id: string): void {
  roster.take({ event: "ended", id, method: "tools/call", name: "work", agent: "x", outcome: "ok" });
}

const counts = (roster: Roster) => roster.agents().map(({ name, version, calls }) => [name, version, calls]);

test("agents are identified by name and version, and keep their order of arrival", () => {
  const roster = createRoster(() => clock);
  start(roster, "claude-code", "2.1");
  start(roster, "cursor", "1.0");
  start(roster, "claude-code", "2.2");
  start(roster, "cursor");
  start(roster, "cursor", "1.0");
  expect(counts(roster)).toEqual([
    ["claude-code", "2.1", 1],
    ["cursor", "1.0", 2],
    ["claude-code", "2.2", 1],
    ["cursor", undefined, 1],
  ]);
});

test("each agent has the calls that run, and the time at which its last one began", () => {
  const roster = createRoster(() => clock);
  const one = start(roster, "cursor", "1.0");
  const two = start(roster, "cursor", "1.0");
  const began = clock;
  end(roster, one);
  expect(roster.agents()).toMatchObject([{ running: 1, lastAt: began }]);
  expect(roster.callerOf(one)).toBeUndefined();
  expect(roster.callerOf(two)).toMatchObject({ name: "cursor" });
  end(roster, two);
  end(roster, two);
  expect(roster.agents()).toMatchObject([{ running: 0, calls: 2 }]);
});

test("of very many agents those are kept that are at work or called last", () => {
  const roster = createRoster(() => clock);
  start(roster, "busy");
  for (let index = 0; index < mostAgents + 5; index++) end(roster, start(roster, `agent ${index}`));
  const names = roster.agents().map(({ name }) => name);
  expect(names).toHaveLength(mostAgents);
  expect(names[0]).toBe("busy");
  expect(names.at(-1)).toBe(`agent ${mostAgents + 4}`);
});

test("who uses the page is a name, or how many there are", () => {
  const roster = createRoster(() => clock);
  expect(presenceOf(roster.agents())).toBeUndefined();
  const first = start(roster, "claude-code", "2.1");
  expect(presenceOf(roster.agents())).toEqual({ who: "claude-code", does: "is using this page" });
  const second = start(roster, "cursor", "1.0");
  expect(presenceOf(roster.agents())).toEqual({ who: "2 agents", does: "are using this page" });
  end(roster, first);
  expect(presenceOf(roster.agents())?.who).toBe("cursor");
  end(roster, second);
  expect(presenceOf(roster.agents())).toBeUndefined();
});
