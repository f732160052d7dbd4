import { expect, test } from "vitest";
import { parseCode } from "./state-elements.ts";

test("a pasted code, or a link that contains one, is parsed", () => {
  expect(parseCode(" abcd-EFGH_1234 \n")).toBe("abcd-EFGH_1234");
  expect(parseCode("http://127.0.0.1:7337/terminal#code=abcd-EFGH_1234")).toBe("abcd-EFGH_1234");
  for (const text of ["", "short", "two words here", "http://127.0.0.1:7337/terminal", "abc<script>def"])
    expect(parseCode(text)).toBeUndefined();
});
