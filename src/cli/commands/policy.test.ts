import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

const rules = {
  rules: [
    { name: "no-deletes", tool: ["delete_*", "drop_*"], decision: "deny", reason: "Ask Ada." },
    { origin: "https://shop.example", annotations: { readOnlyHint: false }, decision: "ask", rate: "30/minute" },
  ],
};

function write(policy: object | string = rules): string {
  const path = join(cli.home, "new-policy.json");
  writeFileSync(path, typeof policy === "string" ? policy : JSON.stringify(policy));
  return path;
}

/** A command's output. */
async function wrote(...args: readonly string[]): Promise<string> {
  const before = cli.out().length;
  expect(await cli.run(...args)).toBe(0);
  return cli.out().slice(before);
}

test("policy set applies a file, show prints its rules, and set --remove removes it", async () => {
  expect(await wrote("policy", "show")).toMatch(
    /^There is no policy: .*policy\.json is not there\. Every call may begin\.\n$/,
  );
  expect(await wrote("policy", "set", write())).toContain("The policy has 2 rules now.");
  expect(JSON.parse(readFileSync(cli.state.policyPath, "utf8"))).toEqual(rules);
  expect((await wrote("policy", "show")).split("\n")).toEqual([
    "RULE        DECISION  RATE       WHEN",
    "no-deletes  deny                 tool delete_* or drop_*",
    "rule 2      ask       30/minute  origin https://shop.example, not readOnlyHint",
    "",
    "What no rule fits may begin.",
    "",
  ]);
  const shown = JSON.parse(await wrote("policy", "show", "--json")) as { path: string; rules: readonly object[] };
  expect(shown).toMatchObject({ path: cli.state.policyPath, rules: [{ label: "no-deletes", reason: "Ask Ada." }, {}] });
  expect(await wrote("policy", "set", "--remove")).toContain("There is no policy any more");
  expect(JSON.parse(await wrote("policy", "show", "--json"))).toMatchObject({ rules: null });
});

test("policy set notes that no hub runs, because the state directory may be the wrong one", async () => {
  const nobody = `No hub of the state directory ${cli.home} runs now. If yours runs with another, or as another user,`;
  await cli.run("policy", "set", write());
  expect([cli.err().includes(nobody), cli.out().includes("notices")]).toEqual([true, false]);
  cli.state.announceHub({ url: "http://127.0.0.1:7337", port: 7337, pid: process.pid, version: "1" });
  const told = cli.err().length;
  expect(await wrote("policy", "set", write())).toContain("The hub that runs notices within a second.");
  expect(cli.err().slice(told)).toBe("");
});

test.each([
  ["show --origin https://shop.example", "--origin is not for: npx pagewire policy show"],
  ["show --file new-policy.json", "--file is not for: npx pagewire policy show"],
  ["test pay --remove", "--remove is not for: npx pagewire policy test"],
  ["set new-policy.json --hint readOnlyHint", "--hint is not for: npx pagewire policy set"],
])("`policy %s` is refused, for what it would pass over", async (line, message) => {
  expect(await cli.run("policy", ...line.split(" "))).toBe(2);
  expect(cli.err()).toContain(message);
});

test("policy set reads the input", async () => {
  cli.type(JSON.stringify(rules));
  cli.endInput();
  expect(JSON.parse(await wrote("policy", "set", "-", "--json"))).toEqual({ path: cli.state.policyPath, rules: 2 });
});

test("policy test prints the decision on a call, and its rule", async () => {
  expect(await wrote("policy", "test", "pay")).toBe("allow: there is no policy.\n");
  await cli.run("policy", "set", write());
  expect(await wrote("policy", "test", "delete_order")).toBe("deny: by no-deletes (tool delete_* or drop_*).\n");
  const there = ["--origin", "https://shop.example"];
  expect(await wrote("policy", "test", "pay", ...there)).toBe(
    "ask: by rule 2 (origin https://shop.example, not readOnlyHint), 30/minute.\n",
  );
  expect(await wrote("policy", "test", "read", ...there, "--hint", "readOnlyHint")).toBe("allow: no rule fits.\n");
  expect(JSON.parse(await wrote("policy", "test", "delete_order", "--json"))).toMatchObject({
    decision: "deny",
    rule: { label: "no-deletes", when: { tool: ["delete_*", "drop_*"] } },
  });
  expect(JSON.parse(await wrote("policy", "test", "pay", "--json"))).toEqual({ decision: "allow", rule: null });
});

test("policy test takes the groups of a principal", async () => {
  await cli.run("policy", "set", write({ rules: [{ group: "ops-*", tool: "deploy", decision: "ask" }] }));
  expect(await wrote("policy", "test", "deploy")).toBe("allow: no rule fits.\n");
  expect(await wrote("policy", "test", "deploy", "--group", "staff", "--group", "ops-night")).toBe(
    "ask: by rule 1 (group ops-*, tool deploy).\n",
  );
});

test("policy test checks a file that is not applied", async () => {
  const file = write({ rules: [{ decision: "ask" }] });
  expect(await wrote("policy", "test", "pay", "--file", file)).toBe("ask: by rule 1 (always).\n");
  expect(cli.state.policy()).toBeUndefined();
});

test.each([
  [["policy", "keep"], '"keep" cannot be done to the policy'],
  [["policy", "test"], "Name the tool"],
  [["policy", "test", "pay", "--door", "web"], "--door is one of"],
  [["policy", "test", "pay", "--hint", "readOnly"], "--hint is written as"],
  [["policy", "test", "pay", "--origin", "shop.example"], "shop.example"],
  [["policy", "test", "pay", "--file", "/none.json"], "/none.json cannot be read"],
  [["policy", "show", "more"], "show takes no more words"],
  [["policy", "set"], "Name a file"],
  [["policy", "set", "x.json", "--remove"], "Name a file"],
])("%j is refused", async (args, message) => {
  expect(await cli.run(...args)).toBe(2);
  expect(cli.err()).toContain(message);
});

test("an invalid policy is refused with the place of the error, and nothing changes", async () => {
  await cli.run("policy", "set", write());
  const broken = write('{"rules": [\n{"tool": "x"}]}');
  expect(await cli.run("policy", "set", broken)).toBe(2);
  expect(await cli.run("policy", "test", "x", "--file", broken)).toBe(2);
  expect(cli.err().match(/line 2, column 1: This rule has no "decision"/g)).toHaveLength(2);
  expect(JSON.parse(readFileSync(cli.state.policyPath, "utf8"))).toEqual(rules);
});

test("show and set explain rules that never decide, and list the pinned origins", async () => {
  const rules = [{ decision: "deny" }, { name: "late", tool: "pay", decision: "ask" }];
  const path = write(JSON.stringify({ pin: "https://*.bank.example", rules }));
  const late = `Look at rule "late": it never decides, because rule 1 stands before it and fits all that it fits.`;
  expect(await wrote("policy", "set", path)).toContain(late);
  const shown = await wrote("policy", "show");
  expect(shown).toContain(late);
  expect(shown).toContain("Tools are shown as they were first seen, of: https://*.bank.example.");
  const told: unknown = JSON.parse(await wrote("policy", "show", "--json"));
  expect(told).toMatchObject({ pin: ["https://*.bank.example"], rules: [{}, { never: expect.any(String) }] });
});

test("the policy of the guide to hosting can be applied, and has the described effect", async () => {
  const guide = readFileSync(new URL("../../../docs/guide/hosting-a-hub-safely.md", import.meta.url), "utf8");
  const [, text = ""] = /```json\n([^]*?)```/.exec(guide) ?? [];
  await cli.run("policy", "set", write(text));
  expect(await wrote("policy", "test", "delete_order")).toContain("ask: by deleting-asks");
  expect(await wrote("policy", "test", "look", "--hint", "readOnlyHint", "--door", "http")).toContain("60/minute");
  for (const line of guide.split("\n").filter((each) => each.startsWith("npx pagewire ")))
    expect(
      await cli.run(
        ...line
          .replace(/ +#.*| \\$/, "")
          .split(" ")
          .slice(2),
        "--help",
      ),
      line,
    ).toBe(0);
});

test("the rules of the guide have the described effects", async () => {
  const guide = readFileSync(new URL("../../../docs/guide/a-policy-for-your-agents.md", import.meta.url), "utf8");
  const [, text = ""] = /```json\n([^]*?)```/.exec(guide) ?? [];
  await cli.run("policy", "set", write(text));
  const decisionOn = async (...args: readonly string[]) => {
    const { decision, rule } = JSON.parse(await wrote("policy", "test", ...args, "--json")) as {
      decision: string;
      rule: { label: string } | null;
    };
    return [decision, rule?.label];
  };
  expect(await decisionOn("delete_order")).toEqual(["deny", "deleting-is-for-people"]);
  const bank = ["--origin", "https://online.bank.example"];
  expect(await decisionOn("pay", ...bank)).toEqual(["ask", "the-bank-asks"]);
  expect(await decisionOn("balance", ...bank, "--hint", "readOnlyHint")).toEqual(["allow", undefined]);
  expect(await decisionOn("look", "--door", "http")).toEqual(["allow", "scripts-go-slow"]);
  expect(await decisionOn("look", "--principal", "guest-7")).toEqual(["deny", "nothing-else-for-strangers"]);
  for (const line of guide.split("\n").filter((each) => each.startsWith("npx pagewire")))
    expect(await cli.run(...line.split(" ").slice(2), "--help"), line).toBe(0);
});
