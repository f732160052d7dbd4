import { expect, test, vi } from "vitest";
import { parseCode, takeCode } from "./sign-in-code.ts";

const code = "2HvmOlqp4kqpciezn8pgxHsvB_Y9G6cLbqNbYaJbxiI";

test("the code is out of the address when it is known", () => {
  const replaceState = vi.fn<History["replaceState"]>();
  expect(takeCode({ hash: `#code=${code}`, pathname: "/", search: "?a=1" }, { replaceState })).toBe(code);
  expect(replaceState).toHaveBeenCalledExactlyOnceWith(null, "", "/?a=1");
});

test("what looks like a code and is none is taken out, too, and nothing else is", () => {
  const replaceState = vi.fn<History["replaceState"]>();
  expect(takeCode({ hash: "#code=<script>", pathname: "/", search: "" }, { replaceState })).toBeUndefined();
  expect(replaceState).toHaveBeenCalledOnce();
  expect(takeCode({ hash: "#approve=1", pathname: "/", search: "" }, { replaceState })).toBeUndefined();
  expect(replaceState).toHaveBeenCalledOnce();
});

test("a pasted link and a pasted code are the same code; other texts are none", () => {
  for (const text of [code, ` ${code}\n`, `http://127.0.0.1:7337/#code=${code}`]) expect(parseCode(text)).toBe(code);
  for (const text of ["", "npx pagewire open", "http://127.0.0.1:7337/", "a b c d e f g h"]) {
    expect(parseCode(text)).toBeUndefined();
  }
});
