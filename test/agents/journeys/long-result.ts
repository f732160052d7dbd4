import { expect } from "vitest";
import type { Turn } from "../model/scripted-model.ts";
import { call, lastResult, say } from "./journey.ts";
import type { Journey } from "./journey.ts";

const lines = 2000;
const partLines = 400;

/** Each line differs, so that a cut shows. */
const list = (count: number) =>
  `() => Array.from({ length: ${count} }, (_, at) => "line " + (at + 1) + " " + "x".repeat(88)).join("\\n")`;

/** More parts than there can be of this size. */
const mostParts = 12;

export const longResult: Journey = {
  title: "a result of 200 KB, and one in parts",
  async run({ machine, agent: { program, talk }, tab }) {
    const metas = { "anthropic/maxResultSizeChars": 500_000 };
    const parts = { "pagewire/maxResultBytes": 8000 };
    await tab.evaluate(`void tool("long_list", "All parts.", object({}), ${list(lines)})`);
    await tab.evaluate(
      `void tool("long_whole", "All parts.", object({}), ${list(lines)}, { _meta: ${JSON.stringify(metas)} })`,
    );
    await tab.evaluate(
      `void tool("long_parts", "Some parts.", object({}), ${list(partLines)}, { _meta: ${JSON.stringify(parts)} })`,
    );
    await machine.hasTools(["long_list", "long_whole", "long_parts"]);
    const next: Turn = (request) => {
      const cursor = /resultCursor \\?"([^"\\]+)\\?"/.exec(lastResult(request))?.[1];
      return cursor === undefined
        ? say("Done.")(request)
        : call(program, "long_parts", { resultCursor: cursor })(request);
    };
    const { requests, ms } = await talk(
      // The first request of a program may still have the list of its last conversation.
      call(program, "list_browser_tabs"),
      call(program, "long_list"),
      call(program, "long_whole"),
      call(program, "long_parts"),
      ...Array<Turn>(mostParts).fill(next),
    );
    const [long, whole] = [requests[2], requests[3]].map(lastResult);
    const got = requests.slice(4).map(lastResult);
    const read = linesIn(got.join("\n"));
    expect([read, machine.ran("long_parts")]).toEqual([partLines, 1]);
    const marked = linesIn(whole) === lines ? "all of it" : `${linesIn(whole)} lines`;
    return {
      result: `${described(long)}; with anthropic/maxResultSizeChars ${marked}; by pagewire/maxResultBytes all of it, in ${got.length} parts`,
      ms,
    };
  },
};

function linesIn(text = ""): number {
  return new Set(text.match(/line \d+ x{88}/g)).size;
}

/** How much of the result the model gets, and how it may get the rest. */
function described(text = ""): string {
  const ends = [text.includes("line 1 "), text.includes(`line ${lines} `)].every(Boolean)
    ? ", its beginning and its end"
    : "";
  const file = /saved to|full output see/i.test(text) ? ", and the name of a file with all of it" : "";
  const said = file === "" && /truncated/i.test(text) ? ", and that it is cut" : "";
  return `${linesIn(text)} of ${lines} lines${ends}${file}${said}`;
}
