import { expect, test } from "vitest";
import fc from "fast-check";
import type { TextPiece } from "../toolbox/index.ts";
import { changesShown, wordChanges } from "./word-changes.ts";

/** The pieces as one text, with differing pieces in brackets. */
const drawn = (pieces: readonly TextPiece[]) =>
  pieces.map(({ text, differs }) => (differs ? `[${text}]` : text)).join("");

test.each([
  ["Pays the bill.", "Pays the bill."],
  ["Pays[ the] bill.", "Pays[ every] bill[ at once]."],
  ["Reads[.]", "Reads[!]"],
  ["", "[Reads it.]"],
  ["Zahlt[ für] Ärzte", "Zahlt[ fur] Ärzte"],
  ["a[ b]", "a[  b]"],
  ["支払う 👍[🏽]", "支払う 👍[🏿]"],
])("the words that differ are marked: %j beside %j", (one, other) => {
  const changes = wordChanges(one.replaceAll(/[[\]]/g, ""), other.replaceAll(/[[\]]/g, ""));
  expect([drawn(changes.before), drawn(changes.after)]).toEqual([one, other]);
});

test("both texts come back whole, and what is not marked is the same in both", () => {
  const texts = fc.array(fc.constantFrom("pay", "the", " ", "\n", ".", "{", "é", "\u202E"), { maxLength: 60 });
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const [before, after] = [one.join(""), other.join("")];
      const changes = wordChanges(before, after);
      const whole = (pieces: readonly TextPiece[]) => pieces.map(({ text }) => text).join("");
      const same = (pieces: readonly TextPiece[]) => whole(pieces.filter(({ differs }) => !differs));
      expect([whole(changes.before), whole(changes.after)]).toEqual([before, after]);
      expect(same(changes.before)).toBe(same(changes.after));
    }),
  );
});

test("of texts with too many words to compare all that is between equal ends is marked", () => {
  const words = (first: string) => Array.from({ length: 1000 }, (_, at) => `${first}${at}`).join(" ");
  const { after } = wordChanges(`Pays. ${words("a")} End`, `Pays. ${words("b")} End`);
  expect(after).toEqual([{ text: "Pays." }, { text: ` ${words("b")}`, differs: true }, { text: " End" }]);
});

test("what is shown is near to what differs, however long the texts are the same", () => {
  const same = "word ".repeat(400).trim();
  const { before, after } = changesShown(`${same} one. ${same}`, `${same} two. ${same}`);
  const ends = `${same.slice(0, 100)} […] ${same.slice(-100)}`;
  expect([drawn(before).length < 500, drawn(after).startsWith(`${ends}[ two]. word`)]).toEqual([true, true]);
  expect(changesShown("Pays.", "Pays all.")).toEqual(wordChanges("Pays.", "Pays all."));
});
