import type { CallerInfo } from "pagewire/toolbox";
import { expect, test } from "vitest";
import { presenceOf } from "./presence.ts";
import { createRoster, mostAgents } from "./roster.ts";
import type { Roster } from "./roster.ts";

let clock = 0;
let last = 0;

function start(roster: Roster, name: string, caller?: CallerInfo): string {
  const id = `c${++last}`;
  clock += 1000;
  roster.take({ event: "started", id, method: "tools/call", name: "work", agent: name, caller });
  return id;
}

function end(roster: Roster, id: string): void {
  roster.take({ event: "ended", id, method: "tools/call", name: "work", agent: "x", outcome: "ok" });
}

const known = (name: string, version?: string): [string, CallerInfo] => [name, { name, version }];
const counts = (roster: Roster) => roster.agents().map(({ name, version, calls }) => [name, version, calls]);

test("D46: agents are told apart by name and version, and keep the order in which they came", () => {
  const roster = createRoster(() => clock);
  start(roster, ...known("claude-code", "2.1"));
  start(roster, ...known("cursor", "1.0"));
  start(roster, ...known("claude-code", "2.2"));
  start(roster, ...known("cursor"));
  start(roster, ...known("cursor", "1.0"));
  expect(counts(roster)).toEqual([
    ["claude-code", "2.1", 1],
    ["cursor", "1.0", 2],
    ["claude-code", "2.2", 1],
    ["cursor", undefined, 1],
  ]);
});

test("D46: each agent has the calls that run, and the time at which its last one began", () => {
  const roster = createRoster(() => clock);
  const one = start(roster, ...known("cursor", "1.0"));
  const two = start(roster, ...known("cursor", "1.0"));
  const began = clock;
  end(roster, one);
  expect(roster.agents()).toMatchObject([{ running: 1, lastAt: began }]);
  expect(roster.callerOf(one)).toBeUndefined();
  expect(roster.callerOf(two)).toMatchObject({ name: "cursor" });
  end(roster, two);
  end(roster, two);
  expect(roster.agents()).toMatchObject([{ running: 0, calls: 2 }]);
});

test("D46: a call that was refused counts for the agent of its name, also when that has told no version yet", () => {
  const roster = createRoster(() => clock);
  start(roster, "cursor");
  start(roster, ...known("cursor", "1.0"));
  start(roster, "cursor");
  expect(counts(roster)).toEqual([["cursor", "1.0", 3]]);
});

test("D46: a call that was refused is nobody's where it could be either's", () => {
  const roster = createRoster(() => clock);
  start(roster, ...known("cursor", "1.0"));
  start(roster, ...known("cursor", "2.0"));
  start(roster, "cursor");
  expect(counts(roster)).toEqual([
    ["cursor", "1.0", 1],
    ["cursor", "2.0", 1],
    ["cursor", undefined, 1],
  ]);
});

test("D46: of very many agents those are kept that are at work or called last", () => {
  const roster = createRoster(() => clock);
  start(roster, ...known("busy"));
  for (let index = 0; index < mostAgents + 5; index++) end(roster, start(roster, ...known(`agent ${index}`)));
  const names = roster.agents().map(({ name }) => name);
  expect(names).toHaveLength(mostAgents);
  expect(names[0]).toBe("busy");
  expect(names.at(-1)).toBe(`agent ${mostAgents + 4}`);
});

test("D45: who uses the page is a name, or how many there are", () => {
  const roster = createRoster(() => clock);
  expect(presenceOf(roster.agents())).toBeUndefined();
  const first = start(roster, ...known("claude-code", "2.1"));
  expect(presenceOf(roster.agents())).toEqual({ who: "claude-code", does: "is using this page" });
  const second = start(roster, ...known("cursor", "1.0"));
  expect(presenceOf(roster.agents())).toEqual({ who: "2 agents", does: "are using this page" });
  end(roster, first);
  expect(presenceOf(roster.agents())?.who).toBe("cursor");
  end(roster, second);
  expect(presenceOf(roster.agents())).toBeUndefined();
});
