import { expect, test } from "vitest";
import { createStickyModes } from "./kept-output.ts";

function after(...parts: string[]): string {
  const modes = createStickyModes();
  for (const part of parts) modes.pass(part);
  return modes.text();
}

test("what was switched on, and not off again, is switched on for whoever begins to read later", () => {
  expect(after("text\u001b[31mred\u001b[?25l\u001b[?2004h\u001b[?1000;1006h and \u001b=more\u001b[?2004l")).toBe(
    "\u001b=\u001b[?25l\u001b[?1000h\u001b[?1006h",
  );
  expect(after("\u001b[?25l\u001b[?25h\u001b[?1049h\u001b[?1049l\u001b=\u001b>")).toBe("");
  expect(after("\u001b[?1049h\u001b=\u001bc")).toBe("");
  expect(after("\u001b[?9999h\u001b[4h")).toBe("");
});

test("a command that was cut in two is whole again", () => {
  expect(after("\u001b[?10", "49h")).toBe("\u001b[?1049h");
  expect(after("\u001b[?1049h\u001b[38;5")).toBe("\u001b[?1049h\u001b[38;5");
  expect(after("\u001b]0;title of")).toBe("\u001b]0;title of");
  expect(after("\u001b")).toBe("\u001b");
  expect(after("\u001b]52;c;", "x".repeat(5000))).toBe("");
});
