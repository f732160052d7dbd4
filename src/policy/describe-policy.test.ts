import { expect, test } from "vitest";
import { describePolicy } from "./describe-policy.ts";
import { parsePolicy } from "./parse-policy.ts";

test.each([
  [{ decision: "deny" }, "Refuses everything."],
  [
    { decision: "ask", tool: ["delete_*", "pay"], origin: "https://shop.example", agent: "claude-code" },
    "Asks a person about calls of delete_* or pay in pages of https://shop.example by claude-code.",
  ],
  [
    { decision: "allow", annotations: { readOnlyHint: true, openWorldHint: false }, origin: "*", rate: "30/minute" },
    "Lets in calls of tools that only read and that stay within their page in pages of any origin at most 30 a minute for each user.",
  ],
  [
    { decision: "deny", app: "till", door: "mcp", principal: ["ann", "bob"] },
    "Refuses everything in the app till through mcp for ann or bob.",
  ],
])("a rule says in words what it does: %j", (rule, words) => {
  expect(describePolicy(parsePolicy(JSON.stringify({ rules: [rule] }))).rules[0]?.words).toBe(words);
});
