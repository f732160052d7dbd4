import { expect, test } from "vitest";
import { countsOf, touchedIn } from "./touched.ts";

const base = "http://127.0.0.1:1/dist/";
const noMap = () => (offset: number) => offset;

test("counts what ran, by source file, and leaves out what did not run and what is not beneath the base", () => {
  const touched = touchedIn(
    [
      script(`${base}hub/serve.js`, ["late", 20, 3], ["early", 10, 1], ["unused", 30, 0]),
      script(`${base}hub/idle.js`, ["unused", 1, 0]),
      script("node:internal/http", ["parse", 1, 9]),
      script("file:///elsewhere/node_modules/ws/index.js", ["send", 1, 9]),
    ],
    base,
    noMap,
  );
  expect(touched).toEqual([
    {
      path: "src/hub/serve.ts",
      functions: [
        { name: "early", line: 10, invocations: 1 },
        { name: "late", line: 20, invocations: 3 },
      ],
    },
  ]);
  expect(countsOf(touched)).toEqual({ files: 1, functions: 2, invocations: 4 });
});

function script(url: string, ...functions: readonly (readonly [name: string, offset: number, count: number])[]) {
  return {
    url,
    functions: functions.map(([functionName, startOffset, count]) => ({
      functionName,
      ranges: [{ startOffset, count }],
    })),
  };
}
