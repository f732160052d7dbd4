import { expect, test } from "vitest";
import { showInvisible } from "./show-invisible.ts";

test("PL22: what turns, hides or splits a text is written out where the user decides on it", () => {
  const hidden: [string, string][] = [
    ["pay\u202Eelosnoc\u202C", "pay⟨U+202E⟩elosnoc⟨U+202C⟩"],
    ["a\u200Bb\u2060c\uFEFFd", "a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩d"],
    ["x\u{E0041}\u{E007F}", "x⟨U+E0041⟩⟨U+E007F⟩"],
    ["a\u0000b\u001Bc\u0085d\re", "a⟨U+0000⟩b⟨U+001B⟩c⟨U+0085⟩d⟨U+000D⟩e"],
    ["soft\u00ADhyphen \u3164\u2800\u2028", "soft⟨U+00AD⟩hyphen ⟨U+3164⟩⟨U+2800⟩⟨U+2028⟩"],
    ["smuggled a\uFE0F\u{E0100}", "smuggled a⟨U+FE0F⟩⟨U+E0100⟩"],
    ["\uD800 \uE000", "⟨U+D800⟩ ⟨U+E000⟩"],
    ["\u17B4\u2065\u{E0F00}", "⟨U+17B4⟩⟨U+2065⟩⟨U+E0F00⟩"],
    ["ab\u200Dcd ❤\uFE0F\uFE0F", "ab⟨U+200D⟩cd ❤\uFE0F⟨U+FE0F⟩"],
  ];
  for (const [text, shown] of hidden) expect(showInvisible(text)).toBe(shown);
});

test("PL22: words of any script, emoji and the layout of a text stay as they are", () => {
  for (const text of [
    "Grüße, 你好, مرحبا",
    "❤\uFE0F 1\uFE0F⃣ 👨\u200D👩\u200D👧 🧑🏽\u200D💻 🏳\uFE0F\u200D🌈",
    '{\n\t"a": 1\n}',
  ])
    expect(showInvisible(text)).toBe(text);
});
