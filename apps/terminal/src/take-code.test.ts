import { expect, test, vi } from "vitest";
import { takeCode } from "./take-code.ts";

function take(hash: string) {
  const replaceState = vi.fn<History["replaceState"]>();
  const code = takeCode({ hash, pathname: "/terminal", search: "?a=b" }, { replaceState });
  return { code, replaced: replaceState.mock.calls.map(([, , url]) => url) };
}

test("TV32: a code is taken out of the address, whatever it looks like", () => {
  expect(take("#code=abcdEFGH_-12")).toEqual({ code: "abcdEFGH_-12", replaced: ["/terminal?a=b"] });
  expect(take("#code=<script>")).toEqual({ code: undefined, replaced: ["/terminal?a=b"] });
  expect(take("#elsewhere")).toEqual({ code: undefined, replaced: [] });
  expect(take("")).toEqual({ code: undefined, replaced: [] });
});
