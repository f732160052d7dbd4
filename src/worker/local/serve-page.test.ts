import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { closeCodes, closeReason, cutOff } from "../../wire/index.ts";
import type { FrameFromPage } from "../../wire/index.ts";
import { createLocalWorld, helloOf, inNewest, origin, tokenOf, toolNamed } from "./local.test-helper.ts";
import type { Hand, LocalWorld, RawClient } from "./local.test-helper.ts";

type PageHand = Hand<FrameFromPage>;

const welcome = { type: "welcome", version: 1, tab: "hub-tab", at: 5000, heartbeat: 15_000 } as const;
/** The hubs' id for the page of these tests. */
const sameTab = "NCDQ6vziKTxfXvzc";
const offer = JSON.stringify({ tools: [toolNamed("buy")], resources: [], resourceTemplates: [], prompts: [] });

/** A page that its hub has welcomed, and that offers a tool. */
async function withHub(world: LocalWorld, hello = helloOf(), tab: string = welcome.tab): Promise<PageHand> {
  const page = await world.open();
  page.say(hello);
  await world.settle();
  world.hub.links.at(-1)?.say({ ...welcome, tab });
  await world.settle();
  page.say({ type: "offer" }, offer);
  await world.settle();
  return page;
}

/** A page that the worker has welcomed by itself. */
async function alone(world: LocalWorld, hello = helloOf()): Promise<PageHand> {
  world.hub.answers = "no";
  const page = await world.open();
  page.say(hello);
  await expect.poll(() => page.of("welcome").length).toBe(1);
  page.say({ type: "offer" }, offer);
  await world.settle();
  return page;
}

const call = (client: RawClient, name: string, input = {}) =>
  client.ask("tools/call", inNewest({ name, arguments: input }));

/** The page's call frames; polled, because a client's message arrives through a port. */
async function calledOnce(page: PageHand): Promise<{ readonly id: string; readonly at: number }> {
  await expect.poll(() => page.of("call").length).toBe(1);
  const [frame] = page.of("call");
  return { id: frame?.id ?? "", at: Number(frame?.["at"]) };
}

function answer(page: PageHand, id: string): void {
  page.say({ type: "ack", id });
  page.say({ type: "result", id }, '{"content":[{"type":"text","text":"bought"}]}');
}

const bought = { result: { content: [{ type: "text", text: "bought" }] } };

describe("a page with a hub", () => {
  test("the hub welcomes it, and frames pass both ways unchanged", async () => {
    const world = createLocalWorld();
    const page = await withHub(world);
    const [hub] = world.hub.links;
    expect(hub?.heard).toMatchObject([
      { type: "hello", tab: "tab-1234" },
      { type: "offer", payload: offer },
    ]);
    page.link.send('{"type":"of-another-version","more":1}\n{"any":  "spacing"}');
    page.link.send("no frame at all");
    hub?.link.send('{"type":"of-another-version"}\nas it was');
    await world.settle();
    expect(hub?.heard.slice(2)).toEqual([
      { type: "of-another-version", more: 1, payload: '{"any":  "spacing"}' },
      { type: "no frame at all", payload: "" },
    ]);
    expect(page.heard).toMatchObject([{ type: "welcome", tab: "hub-tab" }, { payload: "as it was" }]);
    expect(page.closings).toEqual([]);
  });

  test("frames about the worker's calls stay between it and the page; the hub's own go to the hub", async () => {
    const world = createLocalWorld();
    const page = await withHub(world);
    const [hub] = world.hub.links;
    const result = call(world.client(), "buy");
    const { id } = await calledOnce(page);
    answer(page, id);
    page.say({ type: "ack", id: "abc.1" });
    expect(await result).toMatchObject(bought);
    await world.settle();
    expect(hub?.heard.map(({ type }) => type)).toEqual(["hello", "offer", "ack"]);
    expect(hub?.of("ack")).toMatchObject([{ id: "abc.1" }]);
  });

  test("the running calls in a hello go to the hub and to the worker: to each its own", async () => {
    const world = createLocalWorld();
    const running = ["worker:0123.0", "abc.1"];
    const page = await withHub(world, helloOf({ running }));
    expect(world.hub.links[0]?.heard[0]).toMatchObject({ running: ["abc.1"] });
    await world.clock.advance(2000);
    expect(page.of("cancel").map(({ id }) => id)).toEqual(["worker:0123.0"]);
  });

  test("the worker's calls carry times of the hub's clock, so that none seems late", async () => {
    const world = createLocalWorld();
    const page = await withHub(world);
    await world.clock.advance(100);
    void call(world.client(), "buy");
    expect(await calledOnce(page)).toMatchObject({ at: 5100 });
  });

  test("the hub's clock is taken from its fastest frame", async () => {
    const world = createLocalWorld();
    const page = await withHub(world);
    const agent = { name: "agent" };
    const frame = { type: "call", id: "abc.1", method: "tools/call", name: "buy", left: 1000, agent } as const;
    world.hub.links[0]?.say({ ...frame, at: 5040 }, "{}");
    await world.settle();
    world.hub.links[0]?.say({ ...frame, id: "abc.2", at: 5010 }, "{}");
    await world.settle();
    void call(world.client(), "buy");
    await expect.poll(() => page.of("call").length).toBe(3);
    expect(page.of("call").at(-1)).toMatchObject({ at: 5040 });
  });

  test("a silent hub is noticed, even while the worker sends frames to the page", async () => {
    const world = createLocalWorld();
    const page = await withHub(world);
    await world.clock.advance(37_000);
    expect(page.of("heartbeat").length).toBeGreaterThan(0);
    expect(page.closings).toEqual([]);
    await world.clock.advance(1000);
    expect(page.closings).toMatchObject([{ code: closeCodes["heartbeat-missed"] }]);
    expect(world.hub.links[0]?.closings).toMatchObject([{ code: closeCodes["heartbeat-missed"] }]);
  });

  test("an offer that the worker cannot show is the hub's to judge, and the page keeps its link", async () => {
    const world = createLocalWorld();
    const page = await withHub(world);
    page.say({ type: "offer" }, "no offer");
    await world.settle();
    expect([page.closings, world.hub.links[0]?.closings]).toEqual([[], []]);
    expect(world.hub.links[0]?.of("offer")).toHaveLength(2);
    expect(world.errors).toMatchObject([{ code: "frame-malformed" }]);
  });

  test.each([
    ["the hub", 4020, "closed"],
    ["the page", 1000, "done"],
  ] as const)("a link that %s ends, ends for both, with the reason that was given", async (who, code, reason) => {
    const world = createLocalWorld();
    const page = await withHub(world);
    const [hub] = world.hub.links;
    (who === "the hub" ? hub : page)?.link.close({ code, reason });
    await world.settle();
    expect((who === "the hub" ? page : hub)?.closings).toEqual([{ code, reason }]);
  });

  test.each(["the page, cut off", "the hub, going away"])("a call outlives a link that ended by %s", async (who) => {
    const world = createLocalWorld();
    const first = await withHub(world);
    const result = call(world.client(), "buy");
    const { id } = await calledOnce(first);
    first.say({ type: "ack", id });
    await world.settle();
    if (who === "the page, cut off") first.link.close(cutOff);
    else world.hub.links[0]?.link.close(closeReason("going-away"));
    await world.settle();
    const second = await withHub(world, helloOf({ running: [id] }));
    expect(second.of("call")).toMatchObject([{ id, resume: true }]);
    answer(second, id);
    expect(await result).toMatchObject(bought);
  });
});

describe("a page without a hub", () => {
  test("the worker welcomes it, under the name that a hub would give its tab, and serves its tools", async () => {
    const world = createLocalWorld();
    const page = await alone(world);
    const text = JSON.stringify(["local", origin, "tab-1234"]);
    const tab = createHash("sha256").update(text).digest("base64url").slice(0, 16);
    expect(page.of("welcome")).toMatchObject([{ version: 1, tab, heartbeat: 15_000 }]);
    const result = call(world.client(), "buy");
    answer(page, (await calledOnce(page)).id);
    expect(await result).toMatchObject(bought);
  });

  test("H7: its id does not begin with a hyphen, as at a hub", async () => {
    const idOf = (tab: string) =>
      createHash("sha256")
        .update(JSON.stringify(["local", origin, tab]))
        .digest("base64url");
    let number = 0;
    while (!idOf(`tab-${number}`).startsWith("-")) number++;
    const tab = `tab-${number}`;
    const page = await alone(createLocalWorld(), helloOf({ tab }));
    expect(page.of("welcome")).toMatchObject([{ tab: `0${idOf(tab).slice(1, 16)}` }]);
  });

  test("a page that the worker welcomed must speak its language", async () => {
    const world = createLocalWorld();
    const [page, older] = [await alone(world), await world.open()];
    page.link.send("no frame at all");
    older.say(helloOf({ versions: [9] }));
    await world.settle();
    expect(page.of("refused")).toMatchObject([{ code: "frame-malformed" }]);
    expect(page.closings).toMatchObject([{ code: closeCodes["frame-malformed"] }]);
    expect(older.of("refused")).toMatchObject([{ code: "version-unsupported" }]);
    expect(older.closings).toMatchObject([{ code: closeCodes["version-unsupported"] }]);
  });

  test("an offer that cannot be shown is refused by name", async () => {
    const world = createLocalWorld();
    const page = await alone(world);
    page.say({ type: "offer" }, JSON.stringify({ tools: [toolNamed("list_browser_tabs")] }));
    await world.settle();
    expect(page.of("refused")).toMatchObject([{ code: "name-taken" }]);
    expect(page.closings).toMatchObject([{ code: closeCodes["name-taken"] }]);
  });

  test("once the hub answers, the page's link ends with a goaway, and the page reconnects at once", async () => {
    const world = createLocalWorld();
    const page = await alone(world);
    world.hub.answers = "yes";
    await world.clock.advance(30_000);
    const [lookout] = world.hub.links;
    expect(lookout?.heard).toMatchObject([{ type: "hello", tab: "tab-1234" }]);
    expect(page.closings).toEqual([]);
    lookout?.say(welcome);
    await world.settle();
    expect(page.of("goaway")).toMatchObject([{ within: 0 }]);
    expect(page.closings).toEqual([cutOff]);
    expect(lookout?.closings).toHaveLength(1);
    await world.clock.advance(60_000);
    expect(world.hub.links).toHaveLength(1);
  });

  test("to the hub the end of the search is a cut: the calls that it runs in the page go on", async () => {
    const world = createLocalWorld();
    await alone(world, helloOf({ running: ["abc.1"] }));
    world.hub.answers = "yes";
    await world.clock.advance(30_000);
    world.hub.links[0]?.say(welcome);
    await world.settle();
    expect(world.hub.links[0]?.heard).toMatchObject([{ type: "hello", running: ["abc.1"] }]);
    expect(world.hub.links[0]?.closings).toEqual([cutOff]);
  });

  test("a page that leaves while its hub is found closes the link to the hub, too", async () => {
    const world = createLocalWorld();
    const page = await alone(world);
    world.hub.answers = "yes";
    await world.clock.advance(30_000);
    page.link.close(closeReason("normal"));
    await world.settle();
    expect(world.hub.links[0]?.closings).toEqual([closeReason("normal")]);
  });

  test("a worker's welcome has a message that there is no hub; a hub's has none", async () => {
    const world = createLocalWorld();
    const page = await alone(world);
    expect(page.of("welcome")).toMatchObject([
      {
        message:
          "No hub answers at http://hub.example. The worker serves this browser's own clients, and looks for it.",
      },
    ]);
    world.hub.answers = "yes";
    await world.clock.advance(30_000);
    world.hub.links[0]?.say(welcome);
    const next = await withHub(world);
    expect(next.of("welcome")[0]?.["message"]).toBeUndefined();
  });

  test("if a hub refuses the page's origin, the worker's welcome has the hub's message", async () => {
    const world = createLocalWorld();
    const page = await world.open();
    world.hub.links[0]?.say({ type: "refused", code: "origin-not-allowed", message: "Not here." });
    page.say(helloOf());
    await expect.poll(() => page.of("welcome").length).toBe(1);
    expect(page.of("welcome")[0]?.["message"]).toBe(
      "Not here. The worker serves this browser's own clients, and looks for it.",
    );
  });

  test("a page that is woken has the hub looked for at once", async () => {
    const world = createLocalWorld();
    const page = await alone(world);
    await world.clock.advance(10_000);
    world.hub.answers = "yes";
    page.say({ type: "wake" });
    await world.settle();
    expect(world.hub.links).toHaveLength(1);
    world.hub.links[0]?.say(welcome);
    await world.settle();
    expect(page.closings).toEqual([cutOff]);
  });

  test("a page that left is looked out for no more", async () => {
    const world = createLocalWorld();
    const page = await alone(world);
    page.link.close(closeReason("normal"));
    world.hub.answers = "yes";
    await world.clock.advance(60_000);
    expect(world.hub.links).toEqual([]);
  });

  test("a hub that does not let the page's origin in is as good as none", async () => {
    const world = createLocalWorld();
    const page = await world.open();
    const refused = { type: "refused", code: "origin-not-allowed", message: "not here", command: "allow" } as const;
    world.hub.links[0]?.say(refused);
    page.say(helloOf());
    await expect.poll(() => page.of("welcome").length).toBe(1);
    await world.clock.advance(1000);
    world.hub.links[1]?.say(refused);
    await world.settle();
    expect([page.of("refused"), page.closings]).toEqual([[], []]);
  });

  test("a page that its hub lets in no more stays the tab that it was, as it described itself last", async () => {
    const world = createLocalWorld();
    const page = await withHub(world, helloOf({ title: "A shop", epochs: ["first"] }), sameTab);
    page.say({ type: "tab", epochs: ["first", "second"] });
    page.say({ type: "tab", title: "A cart" });
    world.hub.links[0]?.say({ type: "refused", code: "origin-not-allowed", message: "Not here." });
    await expect.poll(() => page.of("welcome").length).toBe(2);
    page.say({ type: "offer" }, offer);
    await world.settle();
    const client = world.client();
    const tabs = [{ tabId: sameTab, title: "A cart", state: "connected" }];
    expect(await call(client, "list_browser_tabs")).toMatchObject({ result: { structuredContent: { tabs } } });
    void call(client, "buy");
    await calledOnce(page);
    expect(page.of("call")[0]).toMatchObject({ epoch: "second" });
    expect(page.closings).toEqual([]);
  });

  test("any other refusal is forwarded to the page", async () => {
    const world = createLocalWorld();
    const page = await world.open();
    page.say(helloOf());
    await world.settle();
    world.hub.links[0]?.say({ type: "refused", code: "token-expired", message: "too old" });
    world.hub.links[0]?.link.close(closeReason("token-expired"));
    await world.settle();
    expect(page.of("refused")).toMatchObject([{ code: "token-expired" }]);
    expect(page.closings).toMatchObject([{ code: closeCodes["token-expired"] }]);
    expect(page.of("welcome")).toEqual([]);
  });

  test("so is one that the hub gives when it is found again", async () => {
    const world = createLocalWorld();
    const page = await alone(world);
    world.hub.answers = "yes";
    await world.clock.advance(30_000);
    world.hub.links[0]?.say({ type: "refused", code: "token-expired", message: "too old" });
    await world.settle();
    expect(page.closings).toEqual([cutOff]);
  });

  test("after a hub could not be reached, the next page does not wait for it", async () => {
    const world = createLocalWorld();
    await alone(world);
    world.hub.answers = "never";
    const page = await world.open();
    page.say(helloOf({ tab: "tab-5678" }));
    await expect.poll(() => page.of("welcome").length).toBe(1);
  });

  test("after the hub was found again, the next page is welcomed by it at once", async () => {
    const world = createLocalWorld();
    await alone(world);
    world.hub.answers = "yes";
    await world.clock.advance(30_000);
    const page = await withHub(world, helloOf({ tab: "tab-5678" }));
    expect(page.of("welcome")).toMatchObject([{ tab: "hub-tab" }]);
  });
});

describe("people", () => {
  test("pages and clients of one subject belong together, and nothing crosses", async () => {
    const world = createLocalWorld();
    const people = [tokenOf({ sub: "ann" }), tokenOf({ sub: "bob" }), tokenOf({ sub: "local" }), "opaque", undefined];
    const pages: PageHand[] = [];
    for (const token of people) pages.push(await alone(world, helloOf(token === undefined ? {} : { token })));
    for (const [index, token] of people.entries()) {
      const fresh = token?.startsWith("e30") ? token.replace("signature", "fresh") : token;
      const client = world.client(fresh === undefined ? {} : { token: fresh });
      const tabs = await call(client, "list_browser_tabs");
      const tab = pages[index]?.of("welcome")[0]?.["tab"];
      expect(tabs).toMatchObject({ result: { structuredContent: { tabs: [{ tabId: tab, tools: ["buy"] }] } } });
      void call(client, "buy");
      await calledOnce(pages[index] as PageHand);
    }
  });
});
