import { expect, test } from "vitest";
import { agentLabel, agentName, agentVersion } from "./agent-label.ts";

test("an agent is called by its own name and version", () => {
  expect(agentLabel({ name: "claude-code", version: "2.1.4" })).toBe("claude-code 2.1.4");
  expect(agentLabel({ name: "tester" })).toBe("tester");
});

test("long labels are cut, between characters", () => {
  expect(agentName({ name: "☕️".repeat(40) })).toBe(`${"☕️".repeat(31)}…`);
  expect(agentName({ name: "x".repeat(128) })).toBe(`${"x".repeat(31)}…`);
  expect(agentVersion({ name: "x", version: "1".repeat(128) })).toBe(`${"1".repeat(15)}…`);
  expect(agentName({ name: "x".repeat(32) })).toBe("x".repeat(32));
});

test("a name stays on one line, hides nothing, and turns nothing around", () => {
  expect(agentLabel({ name: " two\n\nlines\u202e\u200b ", version: "1\t0" })).toBe("two lines 1 0");
  expect(agentLabel({ name: "\u200b", version: "" })).toBe("an agent without a name");
});
