import { expect, test } from "vitest";
import { standardActions } from "./standard-actions.ts";

test("where there is no page, as on a server, they can be made all the same", () => {
  expect(standardActions().map(({ name }) => name)).toContain("git_credential");
});
