// An administrator, who signed in with the command line, governs an organisation at a real hub.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { openBrowser, registerHub, signInWith } from "../../../test/support/identity-provider.ts";
import { removeCommand, startSignInWorld } from "../test-support/sign-in-world.test-helper.ts";
import type { Ended, SignInWorld } from "../test-support/sign-in-world.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";

afterAll(removeCommand);

interface Governed extends Omit<SignInWorld, "team"> {
  team(...args: readonly string[]): Promise<Ended>;
  /** The answer for programs. */
  json(...args: readonly string[]): Promise<unknown>;
  /** Writes a file; returns its path. */
  file(content: object | string): string;
}

/** Signs ada in, and grace, who governs acme: hers is the context in use. */
async function govern(scope = "admin"): Promise<Governed> {
  const world = await startSignInWorld();
  await world.login("--context", "ada");
  world.provider.signInAs("grace");
  expect((await world.login("--context", "acme", "--scope", scope)).code).toBe(0);
  const team: Governed["team"] = (...args) => world.runHere("team", ...args);
  return {
    ...world,
    team,
    async json(...args) {
      const { code, out, err } = await team(...args, "--json");
      expect([code, err]).toEqual([0, ""]);
      return JSON.parse(out);
    },
    file(content) {
      const path = join(world.home, "content.json");
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    },
  };
}

/** The code of an error as programs read it. */
const codeIn = (err: string) => (JSON.parse(err) as { error: { code: string } }).error.code;

test("people are listed, blocked by principal or address, and let in again", async () => {
  const { team, json, runHere } = await govern();
  const { out } = await team("people");
  expect(out).toMatch(/^PRINCIPAL +NAME +EMAIL +GROUPS .*\nacme\/ada +Ada Lovelace +ada@acme.example +staff /);
  expect(out).toMatch(/acme\/grace .* admin /);
  expect(await team("people", "block", "ADA@acme.example")).toMatchObject({ code: 0, out: "acme/ada is blocked.\n" });
  expect((await team("people")).out).toContain("blocked");
  expect((await runHere("whoami", "--context", "ada")).code).not.toBe(0);
  expect(await json("people", "unblock", "acme/ada")).toMatchObject({ principal: "acme/ada", blocked: false });
  expect(await team("people", "end", "acme/ada")).toMatchObject({ code: 0 });
  const nobody = await team("people", "end", "acme/nobody");
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining("nobody by this name")]);
  expect((await team("people", "block", "nobody@acme.example")).err).toContain("Nobody has this email address");
});

test("sessions are listed and ended", async () => {
  const { team, json, hub, provider } = await govern();
  expect((await team("sessions")).out).toBe("Nobody is signed in.\n");
  await registerHub(provider, [hub.url]);
  const browser = openBrowser();
  await signInWith(browser, hub.url);
  const { sessions } = (await json("sessions", "list", "grace@acme.example")) as { sessions: { id: string }[] };
  expect(sessions).toMatchObject([{ use: "sign-in", principal: "acme/grace" }]);
  const id = sessions[0]?.id ?? "";
  expect((await team("sessions")).out).toContain(id);
  expect(await team("sessions", "end", id)).toMatchObject({ code: 0, out: "The session has ended.\n" });
  expect((await team("sessions")).out).toBe("Nobody is signed in.\n");
  expect((await team("sessions", "end", id)).code).toBe(1);
});

test("a service account is made, gets a new key, and is removed; a key is printed alone, and once", async () => {
  const { team, json } = await govern();
  const made = await team("services", "make", "deploy", "--scope", "tools", "--expires", "30d");
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^pagewire-key\.[\w-]{16}\.[\w-]{43}\n$/) });
  const rotated = await json("services", "rotate", "deploy", "--keep-old", "1d");
  expect(rotated).toMatchObject({ name: "deploy", key: expect.stringContaining("pagewire-key.") });
  const { out } = await team("services");
  expect(out.match(/^deploy +tools /gm)).toHaveLength(2);
  expect(out).not.toContain(made.out.trim().split(".")[2]);
  expect(await team("services", "remove", "deploy")).toMatchObject({ code: 0 });
  expect((await team("services", "remove", "deploy")).err).toContain("no service account of this name");
});

test("the policy is set from a file, shown as rules and as it was written, tested, and removed", async () => {
  const { team, json, file } = await govern();
  expect((await team("policy")).out).toContain("no policy of its own");
  const written =
    '{\n  "rules": [{ "name": "no-deletes", "tool": "delete_*", "group": "interns", "decision": "deny" }]\n}\n';
  expect(await team("policy", "set", file(written))).toMatchObject({ code: 0, out: "The policy has 1 rule now.\n" });
  expect((await team("policy")).out).toMatch(/no-deletes +Refuses calls of delete_\* for people in interns\./);
  expect((await team("policy", "--jq", ".text")).out).toBe(`${written}\n`);
  const call = ["policy", "test", "delete_order", "--principal", "ada@acme.example"];
  expect((await team(...call)).out).toBe("allow: no rule fits.\n");
  expect((await team(...call, "--group", "interns")).out).toMatch(/^deny: by .*no-deletes: Refuses calls of delete_\*/);
  expect(await json(...call, "--group", "interns")).toMatchObject({ decision: "deny" });
  const bad = await team("policy", "set", file({ rules: [{ decision: "never" }] }));
  expect([bad.code, bad.err]).toEqual([1, expect.stringMatching(/decision/)]);
  expect((await team("policy", "remove")).out).toContain("no policy of its own");
  expect((await team(...call, "--group", "interns")).out).toBe("allow: no rule fits.\n");
});

test("quotas and budgets are set from a file, and printed as they can be set again", async () => {
  const { team, json, file } = await govern();
  const quotas = { each: { day: 1000 }, groups: { staff: { all: { month: 5000 } } } };
  expect(await team("quotas", "set", file(quotas))).toMatchObject({ code: 0, out: "The quotas are set.\n" });
  expect(await json("quotas")).toMatchObject({ quotas });
  expect(await team("quotas", "set", file((await team("quotas")).out))).toMatchObject({ code: 0 });
  const wrong = await team("quotas", "set", file({ each: { week: 1 } }), "--json");
  expect([wrong.code, codeIn(wrong.err)]).toEqual([1, "request-malformed"]);
  expect(await team("budgets")).toMatchObject({ code: 0, out: "{}\n" });
  expect(await team("budgets", "set", file({ tabsPerPrincipal: 3 }))).toMatchObject({ code: 0 });
  expect(await json("budgets")).toMatchObject({ budgets: { tabsPerPrincipal: 3 } });
  expect((await team("budgets", "set", file({ tabs: 3 }))).err).toContain('"tabs" is no budget');
  expect(await team("quotas", "set", file("[]"))).toMatchObject({ code: 2 });
  expect(await team("quotas", "set", "/none.json")).toMatchObject({ code: 2 });
});

test.each([
  ["policy", { rules: [] }, { rules: [], pin: [] }],
  ["quotas", { each: { day: 1 } }, { each: { day: 2 } }],
  ["budgets", { tabsPerPrincipal: 1 }, { tabsPerPrincipal: 2 }],
])("%s are set over those that were read, and not over those of another admin", async (what, first, second) => {
  const { team, file } = await govern();
  const digest = (await team(what, "--jq", ".digest")).out.trim();
  const over = [what, "set", file(first), "--replaces", digest];
  expect(await team(...over)).toMatchObject({ code: 0 });
  expect(await team(...over)).toMatchObject({ code: 1, err: expect.stringContaining("changed by somebody else") });
  const newer = (await team(what, "--jq", ".digest")).out.trim();
  expect(await team(what, "set", file(second), "--replaces", newer)).toMatchObject({ code: 0 });
});

test("a model is set with a key that nothing shows again, and is removed", async () => {
  const { team, json, file } = await govern();
  expect((await team("model")).out).toContain("no model of its own");
  const key = file("sk-a-secret-key\n");
  const set = await team("model", "set", "anthropic", "--model", "claude-x", "--model", "claude-y", "--key-file", key);
  expect(set.out).toMatch(/^anthropic: claude-x, claude-y, with a key, set by acme\/grace, /);
  const shown = JSON.stringify(await json("model"));
  expect([shown.includes('"hasKey":true'), shown.includes("sk-a")]).toEqual([true, false]);
  expect((await team("model", "set", "anthropic")).err).toContain("--model NAME");
  const unknown = await team("model", "set", "nobody", "--model", "x", "--key-file", key);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('"provider" must be one of')]);
  expect((await team("model", "remove")).code).toBe(0);
  expect((await team("model")).out).toContain("no model of its own");
});

test("without the scope, and without the role, the refusal says what to do", async () => {
  const { team, runHere } = await govern("tools");
  const scope = await team("people");
  expect([scope.code, scope.err]).toEqual([4, expect.stringContaining("npx pagewire login --scope admin")]);
  const role = await runHere("team", "people", "--context", "ada");
  expect([role.code, role.err]).toEqual([4, expect.stringContaining("npx pagewire whoami")]);
});

test.each([
  [["people", "block"], "There are: team people list, team people block <name>"],
  [["nothing"], "team people list"],
  [["services", "make", "x", "--expires", "soon"], "--expires must be a time"],
  [["people", "--follow"], "--follow is not for: npx pagewire team people list"],
  [["people", "end", "acme/ada", "--scope", "admin"], "--scope is not for: npx pagewire team people end"],
])("team %j is a wrong command line", async (args, message) => {
  const cli = createTestIo({ environment: { PAGEWIRE_URL: "https://127.0.0.1:9", PAGEWIRE_TOKEN: "x" } });
  onTestFinished(() => cli.close());
  expect(await cli.run("team", ...args)).toBe(2);
  expect(cli.err()).toContain(message);
});

test("the audit shows what happened in the organisation, and goes on with what happens then", async () => {
  const { team, start } = await govern();
  await team("people", "block", "acme/ada");
  const running = await start(["team", "audit", "--follow", "--json"]);
  await running.wrote(/"outcome":"blocked"/);
  await team("people", "unblock", "acme/ada");
  await running.wrote(/"outcome":"unblocked"/);
  running.kill("SIGINT");
  const { code, out } = await running.ended;
  const records = out.trim().split("\n");
  expect([code, new Set(records).size]).toEqual([0, records.length]);
  expect((await team("audit")).out).toMatch(/person .*blocked/);
});
