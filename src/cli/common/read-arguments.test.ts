import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readArguments } from "./read-arguments.ts";

const read = (...given: readonly string[]) => readArguments(given, Readable.from([]));

test("arguments are JSON, JSON on stdin, or pairs", async () => {
  expect(await read()).toEqual({});
  expect(await read('{"days": 7}')).toEqual({ days: 7 });
  expect(await readArguments(["-"], Readable.from(['{"days"', ": 7}"]))).toEqual({ days: 7 });
  expect(await read("text=Ship tea", "days:=7", 'to:=["a","b"]', "none=", "sum=1+1=2", "at=10:30")).toEqual({
    ...{ text: "Ship tea", days: 7, to: ["a", "b"], none: "", sum: "1+1=2", at: "10:30" },
  });
});

test("any name of a pair is an own property, even __proto__", async () => {
  const value = await read('__proto__:={"polluted": true}');
  expect(Object.keys(value)).toEqual(["__proto__"]);
  expect("polluted" in {}).toBe(false);
});

test.each([
  [["seven"], "seven is not JSON."],
  [["[7]"], "[7] is not a JSON object."],
  [['{"a":"b=c"'], "is not JSON."],
  [["days:=seven"], 'The value in days:=seven is not JSON. For a text, write: days="…"'],
  [["a=1", "a=2"], "The argument a is given twice."],
  [["a=1", "seven"], "seven is not of the form name=value or name:=json."],
  [["a=1", "-"], "- is not of the form name=value or name:=json."],
  [["=1", "a=1"], "=1 is not of the form name=value or name:=json."],
])("%j are refused: %s", async (given, message) => {
  await expect(read(...given)).rejects.toMatchObject({
    code: "options-invalid",
    message: expect.stringContaining(message) as string,
  });
});
