import { expect, test } from "vitest";
import { mute } from "./mute.ts";

test("what asks a terminal for something, or sets its clipboard, is left out, and the length stays", () => {
  const requests = [
    ...["\u001b[c", "\u001b[0c", "\u001b[>c", "\u001b[=c", "\u001b[5n", "\u001b[6n", "\u001b[?6n", "\u001b[x"],
    ...[
      "\u001b[?2026$p",
      "\u001b[4$p",
      "\u001b[>q",
      "\u001b[>0q",
      "\u001b[?u",
      "\u001b[14t",
      "\u001b[18t",
      "\u001b[21t",
    ],
    ...["\u001b]10;?\u0007", "\u001b]11;?\u001b\\", "\u001b]4;12;?\u0007"],
    ...["\u001b]52;c;aGk=\u0007", "\u001b]52;c;?\u001b\\", "\u001bP$qm\u001b\\", "\u001bP+q544e\u001b\\"],
  ];
  for (const request of requests) expect(mute(`a${request}b`)).toBe(`a${"\0".repeat(request.length)}b`);
});

test("what only shows something is left as it is", () => {
  const shown = [
    ...[
      "plain, 10;? 52;c;",
      "\u001b[31mred\u001b[0m",
      "\u001b[2J\u001b[H",
      "\u001b[?1049h",
      "\u001b[10;20H",
      "\u001b[22;0t",
    ],
    ...["\u001b]0;title\u0007", "\u001b]8;;https://x.example\u001b\\link", "\u001b]11;#fff\u0007", "\u001b[4 q"],
  ];
  for (const text of shown) expect(mute(text)).toBe(text);
});
