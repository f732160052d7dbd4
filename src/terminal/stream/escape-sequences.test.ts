import { describe, expect, test } from "vitest";
import { StickyModes, stripRequests } from "./escape-sequences.ts";

describe("stripping requests", () => {
  test("requests to the terminal and clipboard writes are blanked, and the length stays", () => {
    const requests = [
      ...["\u001b[c", "\u001b[0c", "\u001b[>c", "\u001b[=c", "\u001b[5n", "\u001b[6n", "\u001b[?6n", "\u001b[x"],
      ...["\u001b[?2026$p", "\u001b[4$p", "\u001b[>q", "\u001b[>0q", "\u001b[?u"],
      ...["\u001b[14t", "\u001b[18t", "\u001b[21t"],
      ...["\u001b]10;?\u0007", "\u001b]11;?\u001b\\", "\u001b]4;12;?\u0007"],
      ...["\u001b]52;c;aGk=\u0007", "\u001b]52;c;?\u001b\\", "\u001bP$qm\u001b\\", "\u001bP+q544e\u001b\\"],
    ];
    for (const request of requests) expect(stripRequests(`a${request}b`)).toBe(`a${"\0".repeat(request.length)}b`);
  });

  test("output that only shows something is unchanged", () => {
    const shown = [
      ...["plain, 10;? 52;c;", "\u001b[31mred\u001b[0m", "\u001b[2J\u001b[H", "\u001b[?1049h"],
      ...["\u001b[10;20H", "\u001b[22;0t"],
      ...["\u001b]0;title\u0007", "\u001b]8;;https://x.example\u001b\\link", "\u001b]11;#fff\u0007", "\u001b[4 q"],
    ];
    for (const text of shown) expect(stripRequests(text)).toBe(text);
  });
});

describe("sticky modes", () => {
  function after(...parts: string[]): string {
    const modes = new StickyModes();
    for (const part of parts) modes.pass(part);
    return modes.text();
  }

  test("modes that are still on are switched on for a later reader", () => {
    expect(after("text\u001b[31mred\u001b[?25l\u001b[?2004h\u001b[?1000;1006h and \u001b=more\u001b[?2004l")).toBe(
      "\u001b=\u001b[?25l\u001b[?1000h\u001b[?1006h",
    );
    expect(after("\u001b[?25l\u001b[?25h\u001b[?1049h\u001b[?1049l\u001b=\u001b>")).toBe("");
    expect(after("\u001b[?1049h\u001b=\u001bc")).toBe("");
    expect(after("\u001b[?9999h\u001b[4h")).toBe("");
  });

  test("a sequence that was split is joined again", () => {
    expect(after("\u001b[?10", "49h")).toBe("\u001b[?1049h");
    expect(after("\u001b[?1049h\u001b[38;5")).toBe("\u001b[?1049h\u001b[38;5");
    expect(after("\u001b]0;title of")).toBe("\u001b]0;title of");
    expect(after("\u001b")).toBe("\u001b");
    expect(after("\u001b]52;c;", "x".repeat(5000))).toBe("");
  });
});
