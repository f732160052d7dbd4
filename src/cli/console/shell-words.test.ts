import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { commandLine, shellWords } from "./shell-words.ts";

test("a shell splits the line into the same words", () => {
  const text = fc
    .array(fc.constantFrom(...Array.from("ab \"'$`\\!*~;&|<>(){}#\n\u00e9")), { minLength: 1 })
    .map((all) => all.join(""));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (words) => {
      const line = `printf '%s\\0' ${shellWords(words, "linux")}`;
      const read = execFileSync("sh", ["-c", line], { encoding: "utf8" });
      expect(read.split("\0").slice(0, -1)).toEqual(words);
    }),
    { numRuns: 50 },
  );
});

test("plain words are not quoted, and a header is in double quotes on every system", () => {
  const words = ["--header", "Authorization: Bearer abc", "http://127.0.0.1:7337/mcp"];
  for (const platform of ["linux", "win32"]) {
    expect(shellWords(words, platform)).toBe('--header "Authorization: Bearer abc" http://127.0.0.1:7337/mcp');
  }
});

test("on Windows quotes are escaped, and backslashes only before them", () => {
  expect(shellWords(['{"a":"C:\\x"}', "C:\\Program Files\\"], "win32")).toBe(
    String.raw`"{\"a\":\"C:\x\"}" "C:\Program Files\\"`,
  );
});

test("a line sets variables with any values as the platform's shell does", () => {
  const line = commandLine(["printenv", "A_B"], { A_B: "/a b$c" }, "linux");
  expect(execFileSync("sh", ["-c", line], { encoding: "utf8" })).toBe("/a b$c\n");
  expect(commandLine(["node", "a b"], {}, "linux")).toBe('node "a b"');
  expect(commandLine(["node", "C:\\a b"], { A: "C:\\x y" }, "win32")).toBe(
    String.raw`cmd /c "set A=C:\x y&& node "C:\a b""`,
  );
});
