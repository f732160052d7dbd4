// Many people and many agents at one hub, in one browser and in several: no data of one person reaches another.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createPeople, signIn } from "./people.test-helper.ts";
import type { People } from "./people.test-helper.ts";
import type { Browser } from "./support/chromium.ts";
import type { Tab } from "./support/tab.ts";
import { listTabs } from "./support/world.ts";
import type { CallByHttp } from "./support/world.ts";

let people: People;
let browser: Browser;
let other: Browser;

beforeAll(async () => {
  people = await createPeople();
  [browser, other] = await Promise.all([people.browser(), people.browser()]);
});

// New people in each test: the tabs of an earlier test are listed as away for a while.
let alice = "";
let bob = "";
let tests = 0;
beforeEach(() => {
  tests++;
  [alice, bob] = [`alice-${tests}`, `bob-${tests}`];
});

afterEach(async () => {
  const open = await Promise.all([browser, other].map((one) => one.tabs()));
  await Promise.all(open.flat().map((tab) => tab.close()));
});

afterAll(() => people.close());

const runsIn = (tab: Tab) => tab.evaluate<string[]>("runs");
const tabIdOf = (tab: Tab) => tab.evaluate<string>("client.getTabId()");
const toolsOf = async (agent: CallByHttp) => (await listTabs(agent)).flatMap(({ tabId, tools }) => [tabId, ...tools]);
const saidBy = async (agent: CallByHttp, tag: string, tab?: Tab) => {
  const { outcome, result } = await agent("whoami", { tag }, tab && { tab: await tabIdOf(tab) });
  return { outcome, ...(result?.structuredContent as object) };
};

test("two people in one browser profile, through one worker, see, reach and hear of nothing of each other", async () => {
  const [ofAlice, ofBob] = [await people.open(browser, alice), await people.open(browser, bob)];
  const [callAsAlice, callAsBob] = [await people.agent(alice), await people.agent(bob)];
  const ids = await Promise.all([ofAlice, ofBob].map(tabIdOf));
  expect(await Promise.all([ofAlice, ofBob].map((tab) => tab.evaluate("page.via.kind")))).toEqual([
    "shared-worker",
    "shared-worker",
  ]);
  expect(await Promise.all([callAsAlice, callAsBob].map(toolsOf))).toEqual(ids.map((id) => [id, "whoami", "hold"]));

  const tags = Array.from({ length: 40 }, (_, index) => `call-${index}`);
  const said = await Promise.all(tags.map((tag, index) => saidBy(index % 2 === 0 ? callAsAlice : callAsBob, tag)));
  expect(said).toEqual(
    tags.map((tag, index) => ({ outcome: "ok", tag, person: index % 2 === 0 ? alice : bob, tab: ids[index % 2] })),
  );
  expect(await runsIn(ofAlice)).toHaveLength(20);
  expect(await runsIn(ofBob)).toHaveLength(20);

  const across = await callAsAlice("whoami", { tag: "across" }, { tab: ids[1] ?? "" });
  expect(across.error?.message).toBe(`There is no tab "${ids[1]}". Open tabs: ${ids[0]} (Shop).`);
  expect(await runsIn(ofBob)).not.toContain("across");

  const [newsOfAlice, newsOfBob] = [await people.news(alice), await people.news(bob)];
  const offerMore = 'client.registerTool("more", "More.", { type: "object" }, () => ({}))';
  await ofAlice.evaluate(offerMore);
  await expect.poll(() => newsOfAlice).toEqual(["tools"]);
  // When Bob's agent is notified of Bob's own tool, a notification of Alice's would have arrived before.
  await ofBob.evaluate(offerMore);
  await expect.poll(() => newsOfBob).toEqual(["tools"]);
  await ofBob.evaluate("client.setAuthToken(null)");
  await expect.poll(() => newsOfBob).toEqual(["tools", "tools"]);
  expect(newsOfAlice).toEqual(["tools"]);
});

test("one person's tabs in two browsers are all reachable, and one that closes takes only itself away", async () => {
  const tabs = [await people.open(browser, alice), await people.open(other, alice)];
  const callAsAlice = await people.agent(alice);
  const ids = await Promise.all(tabs.map(tabIdOf));
  for (const [index, tab] of tabs.entries()) {
    expect(await saidBy(callAsAlice, `to-${index}`, tab)).toMatchObject({ outcome: "ok", tab: ids[index] });
    expect(await runsIn(tab)).toEqual([`to-${index}`]);
  }
  await tabs[0]?.close();
  expect(await saidBy(callAsAlice, "after")).toMatchObject({ outcome: "ok", tab: ids[1] });
});

test("two agents of one person, whose requests have the same ids, each get their own answers", async () => {
  const tab = await people.open(browser, alice);
  const [one, two] = [await people.mcp(alice), await people.mcp(alice)];
  const slow = one.callTool({ name: "hold", arguments: { tag: "slow" } });
  const slower = two.callTool({ name: "hold", arguments: { tag: "slower" } });
  await expect.poll(() => runsIn(tab)).toEqual(expect.arrayContaining(["slow", "slower"]));
  expect(await two.callTool({ name: "whoami", arguments: { tag: "quick" } })).toMatchObject({
    structuredContent: { tag: "quick" },
  });
  await tab.evaluate("window['finish slower']()");
  expect(await slower).toMatchObject({ structuredContent: { tag: "slower" } });
  await tab.evaluate("window['finish slow']()");
  expect(await slow).toMatchObject({ structuredContent: { tag: "slow" } });
  expect((await runsIn(tab)).toSorted()).toEqual(["quick", "slow", "slower"]);
});

test.each(["null", '""'])("signing out with %s removes the tools at once, and ends running calls", async (nothing) => {
  const [ofAlice, neighbour] = [await people.open(browser, alice), await people.open(browser, alice)];
  const callAsAlice = await people.agent(alice);
  const tabId = await tabIdOf(ofAlice);
  const running = callAsAlice("hold", { tag: "held" }, { tab: tabId });
  await ofAlice.waitFor("runs.includes('held')");
  await ofAlice.evaluate(`client.setAuthToken(${nothing})`);
  expect(await running).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  await expect.poll(() => toolsOf(callAsAlice)).toEqual([await tabIdOf(neighbour), "whoami", "hold"]);
  expect(await callAsAlice("whoami", { tag: "late" }, { tab: tabId })).toMatchObject({
    error: { code: "tab-not-found" },
  });
  expect(await runsIn(ofAlice)).toEqual(["held", "held aborted"]);
  expect(await ofAlice.evaluate("page.status")).toBe("signed-out");

  await signIn(ofAlice, alice, await people.pageToken(alice));
  expect(await saidBy(callAsAlice, "again", ofAlice)).toMatchObject({ outcome: "ok", tab: tabId });
});

test("another person's token moves the tools to that person at once, and ends the first person's running calls", async () => {
  const tab = await people.open(browser, alice);
  const [callAsAlice, callAsBob] = [await people.agent(alice), await people.agent(bob)];
  const idOfAlice = await tabIdOf(tab);
  const running = callAsAlice("hold", { tag: "held" });
  await tab.waitFor("runs.includes('held')");
  await signIn(tab, bob, await people.pageToken(bob));
  expect(await running).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  await tab.evaluate("window['finish held']()");
  expect(await toolsOf(callAsAlice)).toEqual([]);
  const idOfBob = await tabIdOf(tab);
  expect(idOfBob).not.toBe(idOfAlice);
  expect(await saidBy(callAsBob, "mine")).toEqual({ outcome: "ok", tag: "mine", person: bob, tab: idOfBob });
  expect(await callAsAlice("whoami", { tag: "mine" })).toMatchObject({ error: { code: "tool-not-found" } });
  expect(await runsIn(tab)).toEqual(["held", "held aborted", "mine"]);
});

test("a fresh token of the same person, in any tab, does not affect running calls", async () => {
  const [tab, neighbour] = [await people.open(browser, alice), await people.open(browser, alice)];
  const callAsAlice = await people.agent(alice);
  const running = callAsAlice("hold", { tag: "held" }, { tab: await tabIdOf(tab) });
  await tab.waitFor("runs.includes('held')");
  for (const one of [tab, neighbour]) await signIn(one, alice, await people.pageToken(alice));
  expect(await saidBy(callAsAlice, "other", neighbour)).toMatchObject({ outcome: "ok" });
  await tab.evaluate("window['finish held']()");
  expect(await running).toMatchObject({ outcome: "ok", result: { structuredContent: { tag: "held" } } });
});

/** Signs each person in to a tab in turn, then out, until stopped; every other round does not wait for the connection. */
function comeAndGo(tab: Tab, tokens: ReadonlyMap<string, string>): { stop(): Promise<void> } {
  let isOver = false;
  async function go(): Promise<void> {
    for (let round = 0; !isOver; round++) {
      for (const [person, token] of tokens) {
        await tab.evaluate((name: string, given: string) => window.signIn(name, given), person, token);
        if (round % 2 === 0) await tab.waitFor("page.status === 'connected'");
      }
      await tab.evaluate("client.setAuthToken(null)");
    }
  }
  const going = go();
  return {
    stop() {
      isOver = true;
      return going;
    },
  };
}

test("many people, browsers and agents at the same time, while others sign in and out: nothing crosses", async () => {
  const names = [alice, bob, `carol-${tests}`];
  const own = names.flatMap((person) => [browser, other].map((one) => ({ person, one })));
  const tabs = await Promise.all(own.map(async ({ person, one }) => ({ person, tab: await people.open(one, person) })));
  const restless = await people.open(browser);
  const tokens = new Map<string, string>();
  for (const person of names) tokens.set(person, await people.pageToken(person));
  const strangers: unknown[] = [];

  async function callForAWhile(person: string, which: number): Promise<void> {
    const call = await people.agent(person);
    const mine = await Promise.all(tabs.filter((one) => one.person === person).map(({ tab }) => tabIdOf(tab)));
    for (let round = 0; round < 15; round++) {
      const tag = `${person}-${which}-${round}`;
      const tab = mine[round % mine.length] ?? "";
      const { outcome, result } = await call("whoami", { tag }, { tab });
      expect({ outcome, said: result?.structuredContent }).toEqual({ outcome: "ok", said: { tag, person, tab } });
      expect((await listTabs(call)).map(({ tabId }) => tabId)).toEqual(expect.arrayContaining(mine));
      // This call may reach the tab that changes its person; then it may fail, but never run as another person.
      const loose = await call("whoami", { tag: `${tag}-loose` });
      const said = loose.result?.structuredContent as { readonly person: string } | undefined;
      if (loose.outcome === "ok" && said?.person !== person) strangers.push(said);
    }
  }

  const coming = comeAndGo(restless, tokens);
  await Promise.all(names.flatMap((person) => [1, 2].map((which) => callForAWhile(person, which))));
  await coming.stop();
  expect(strangers).toEqual([]);
  for (const { person, tab } of tabs) {
    const runs = await runsIn(tab);
    expect(runs.filter((tag) => !tag.startsWith(person))).toEqual([]);
    expect(new Set(runs).size).toBe(runs.length);
  }
});
