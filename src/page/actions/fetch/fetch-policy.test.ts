import { expect, test } from "vitest";
import { fetchAction } from "./fetch-action.ts";
import type { FetchPolicy } from "./fetch-policy.ts";

test("a policy with a rule that is unknown or has the wrong form is refused at once, by the rule's name", () => {
  const wrong: [string, object][] = [
    ["origin", { origin: ["https://a.example"] }],
    ["origins", { origins: ["a.example"] }],
    ["origins", { origins: ["https://a.example/"] }],
    ["origins", { origins: ["https://a.example/path"] }],
    ["origins", { origins: ["https://*"] }],
    ["origins", { origins: ["https://*.a.example/x"] }],
    ["origins", { origins: ["https://a.*.example"] }],
    ["origins", { origins: ["ftp://a.example"] }],
    ["credentials", { credentials: "always" }],
    ["redirects", { redirects: true }],
    ["ask", { ask: "sometimes" }],
    ["agents", { agents: "none" }],
    ["privateNetworks", { privateNetworks: "no" }],
    ["timeout", { timeout: 0 }],
    ["maxRequestBytes", { maxRequestBytes: Number.NaN }],
    ["maxResponseBytes", { maxResponseBytes: "1" }],
  ];
  for (const [rule, policy] of wrong) {
    let message = "no error";
    try {
      fetchAction(policy as FetchPolicy);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(`The rule "${rule}" of the fetch policy must be `);
  }
});

test("a call may take as long as its server, and the person who is asked", () => {
  expect(fetchAction().options.callTime).toBe(90_000);
  expect(fetchAction({ timeout: 5000 }).options.callTime).toBe(65_000);
});
