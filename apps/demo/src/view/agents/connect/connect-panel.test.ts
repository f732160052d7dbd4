import { expect, test } from "vitest";
import { clientChoices, parseClientLines } from "./connect-panel.tsx";

const hub = "http://127.0.0.1:7337";
const codesOf = (told: string | undefined) =>
  Object.fromEntries(
    clientChoices({ hub, lines: parseClientLines(told) }).map(({ id, steps }) => [id, steps.map(({ code }) => code)]),
  );

test("every client has the line that the hub says, and others have a program and the hub's address", () => {
  const lines = { "claude-code": "add a", cursor: "write b", vscode: "write c", codex: "add d", inspector: "run e" };
  expect(codesOf(JSON.stringify({ ...lines, other: "start f", odd: 7 }))).toEqual({
    ...Object.fromEntries(Object.entries(lines).map(([id, line]) => [id, [line]])),
    other: ["start f", `${hub}/mcp`],
  });
});

test("where the hub says no lines, the command that makes each is shown", () => {
  for (const told of [undefined, "", "{", "[]", "null"]) {
    expect(codesOf(told)).toMatchObject({
      "claude-code": ["npx pagewire connect claude-code"],
      other: ["npx pagewire mcp", `${hub}/mcp`],
    });
  }
});
