import { expect, test } from "vitest";
import { showInvisible } from "./show-invisible.ts";

test("invisible characters in a text that the user decides on are written out", () => {
  const hidden: [string, string][] = [
    ["pay\u202Eelosnoc\u202C", "pay⟨U+202E⟩elosnoc⟨U+202C⟩"],
    ["a\u200Bb\u2060c\uFEFFd", "a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩d"],
    ["x\u{E0041}\u{E007F}", "x⟨U+E0041⟩⟨U+E007F⟩"],
    ["a\u0000b\u001Bc\u0085d\re", "a⟨U+0000⟩b⟨U+001B⟩c⟨U+0085⟩d⟨U+000D⟩e"],
    ["soft\u00ADhyphen \u3164\u2800\u2028", "soft⟨U+00AD⟩hyphen ⟨U+3164⟩⟨U+2800⟩⟨U+2028⟩"],
    ["smuggled a\uFE0F\u{E0100}", "smuggled a⟨U+FE0F⟩⟨U+E0100⟩"],
    ["\uD800 \uE000", "⟨U+D800⟩ ⟨U+E000⟩"],
    ["\u17B4\u2065\u{E0F00}", "⟨U+17B4⟩⟨U+2065⟩⟨U+E0F00⟩"],
    ["c\u200Cd ا\u200Cب \u0301\u200C\u0301ب ر\u200Dش", "c⟨U+200C⟩d ا⟨U+200C⟩ب \u0301⟨U+200C⟩\u0301ب ر⟨U+200D⟩ش"],
    ["می\u200C\u200Cخواهم \u200Cکتاب\u200C", "می⟨U+200C⟩⟨U+200C⟩خواهم ⟨U+200C⟩کتاب⟨U+200C⟩"],
    ["ک\u200Dتاب क\u200D a\u094D\u200D क्\u200Cx", "ک⟨U+200D⟩تاب क⟨U+200D⟩ a\u094D⟨U+200D⟩ क्⟨U+200C⟩x"],
    ["🏴\u{E0067}\u{E0062}\u{E0061}\u{E007F}", "🏴⟨U+E0067⟩⟨U+E0062⟩⟨U+E0061⟩⟨U+E007F⟩"],
    ["葛\u{E0100} 👍\u200D 👍\u200Da", "葛⟨U+E0100⟩ 👍⟨U+200D⟩ 👍⟨U+200D⟩a"],
    ["ab\u200Dcd ❤\uFE0F\uFE0F", "ab⟨U+200D⟩cd ❤\uFE0F⟨U+FE0F⟩"],
  ];
  for (const [text, shown] of hidden) expect(showInvisible(text)).toBe(shown);
});

test("words of any script, emoji and the layout of a text stay unchanged", () => {
  for (const text of [
    "Grüße, 你好, مرحبا",
    "می\u200Cخواهم خانه\u200Cهای کتابِ\u200Cما ه\u200D.ش",
    "क\u094D\u200Dष क\u094D\u200Cष শ\u200D\u09CDর র\u200D\u09CD\u09AF\u09BE\u09AC ශ\u0DCA\u200Dර\u0DD3 ന\u0D4D\u200D",
    "☎\uFE0E 👩🏽\u200D⚕\uFE0F 👁\uFE0F\u200D🗨\uFE0F 🏴\u200D☠\uFE0F 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "❤\uFE0F 1\uFE0F⃣ 👨\u200D👩\u200D👧 🧑🏽\u200D💻 🏳\uFE0F\u200D🌈",
    '{\n\t"a": 1\n}',
  ])
    expect(showInvisible(text)).toBe(text);
});

test("a text of only joiners and marks takes no longer than others", () => {
  for (const text of ["\u200C", "ب\u0301\u0301\u200C", "\u200D\u0301", "क\u094D\u200D"])
    expect(showInvisible(text.repeat(100_000), () => "").length).toBeLessThanOrEqual(text.length * 100_000);
});
