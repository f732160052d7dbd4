import { expect, test } from "vitest";
import { defineCommand, numberOption } from "./common/command.ts";
import { parseArguments } from "./run-cli.ts";

const command = defineCommand({
  name: "call",
  summary: "Call a tool in a page.",
  usage: "<tool> [json|-]",
  positionals: { min: 1, max: 2 },
  options: {
    tab: { type: "string", value: "ID", summary: "The tab." },
    origin: { type: "string", multiple: true, value: "ORIGIN", summary: "An origin." },
    json: { type: "boolean", summary: "JSON." },
  },
  examples: [],
  run: async () => 0,
});

test("arguments and options may be in any order, and missing ones have their defaults", () => {
  expect(parseArguments(command, ["greet", "--tab", "t1", '{"a":1}', "--json"])).toEqual({
    values: { tab: "t1", origin: [], json: true },
    positionals: ["greet", '{"a":1}'],
    help: false,
  });
  expect(parseArguments(command, ["greet", "--origin=a", "--origin", "b", "-"])).toEqual({
    values: { tab: undefined, origin: ["a", "b"], json: false },
    positionals: ["greet", "-"],
    help: false,
  });
});

test("a value may begin with a dash", () => {
  expect(parseArguments(command, ["greet", "--tab", "-x7"]).values["tab"]).toBe("-x7");
  expect(parseArguments(command, ["greet", "--tab=-x7"]).values["tab"]).toBe("-x7");
  expect(parseArguments(command, ["--", "--greet", "-x7"]).positionals).toEqual(["--greet", "-x7"]);
});

test.each([
  [["greet", "--tba", "t1"], '"pagewire call" has no option --tba. Did you mean --tab?'],
  [["greet", "--verbose"], '"pagewire call" has no option --verbose. See: npx pagewire help call'],
  [["greet", "--constructor"], '"pagewire call" has no option --constructor.'],
  [["greet", "-x"], "See: npx pagewire help call"],
  [["greet", "--tab"], "See: npx pagewire help call"],
  [["greet", "--tab", "--json"], "See: npx pagewire help call"],
  [["greet", "--json=yes"], "See: npx pagewire help call"],
  [[], '"pagewire call" needs <tool> [json|-]. See: npx pagewire help call'],
  [["a", "b", "c"], '"pagewire call" does not know what to do with "c". See: npx pagewire help call'],
  [["a", "b", "tabs"], "The command comes first: npx pagewire tabs"],
])("%j is refused with what to write instead", (args, message) => {
  expect(() => parseArguments(command, args)).toThrow(message);
});

test("--help works even if the other arguments are invalid", () => {
  for (const args of [["--help"], ["-h"], ["a", "b", "c", "--help"]]) {
    expect(parseArguments(command, args).help).toBe(true);
  }
});

test.each(["", "x", "-1", "1e9", "70000", "1.5", "NaN", "Infinity"])("%j is no port", (text) => {
  expect(() => numberOption("port", text, { min: 0, max: 65_535, isWhole: true })).toThrow(
    `--port must be a whole number from 0 to 65535, not "${text}".`,
  );
});
