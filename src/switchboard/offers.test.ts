import { describe, expect, test } from "vitest";
import { resolveLimits } from "../wire/index.ts";
import type { Offer } from "../wire/index.ts";
import { createBoard, offerWith, tool } from "./board.test-helper.ts";
import { createOfferPool } from "./offers.ts";

const limits = resolveLimits({ offersPerPage: 4 });
const text = (...names: readonly string[]) => JSON.stringify(offerWith(...names.map((name) => tool(name))));
const change = (add: Partial<Offer>, remove: Partial<Record<keyof Offer, readonly string[]>> = {}) =>
  JSON.stringify({ add, remove });

describe("offers that many tabs share", () => {
  test("the same offer is kept once, and equal tools of different offers are one object", () => {
    const pool = createOfferPool(limits);
    const [one, same, other] = [pool.take(text("a", "b")), pool.take(text("a", "b")), pool.take(text("b", "c"))];
    expect(one).toBe(same);
    expect(pool.size).toBe(2);
    expect(one.tools.get("b")).toBe(other.tools.get("b"));
    expect(pool.take(new TextEncoder().encode(text("a", "b")))).toBe(one);
  });

  test("an offer is kept until its last user releases it", () => {
    const pool = createOfferPool(limits);
    const one = pool.take(text("a"));
    pool.take(text("a"));
    pool.release(one);
    expect([pool.size, pool.take(text("a")) === one]).toEqual([1, true]);
    pool.release(one);
    pool.release(one);
    expect(pool.size).toBe(0);
    const fresh = pool.take(text("a"));
    expect(fresh.tools.get("a")).not.toBe(one.tools.get("a"));
  });

  test("releasing an offer leaves the tools that another one has", () => {
    const pool = createOfferPool(limits);
    const [one, other] = [pool.take(text("a", "b")), pool.take(text("b"))];
    pool.release(one);
    expect(pool.take(text("b", "c")).tools.get("b")).toBe(other.tools.get("b"));
  });

  test("a change adds, replaces and removes things of every kind", () => {
    const pool = createOfferPool(limits);
    const before = pool.take(
      JSON.stringify({
        ...offerWith(tool("a"), tool("b")),
        resources: [{ uri: "x:1", name: "x" }],
        prompts: [{ name: "p" }],
      }),
    );
    const after = pool.change(
      before,
      change(
        { tools: [tool("b", { title: "New" })], resourceTemplates: [{ uriTemplate: "x:{n}", name: "n" }] },
        { tools: ["a", "unknown"], resources: ["x:1"] },
      ),
    );
    expect([...after.tools.values()]).toEqual([tool("b", { title: "New" })]);
    expect([[...after.resources.keys()], [...after.resourceTemplates.keys()], [...after.prompts.keys()]]).toEqual([
      [],
      ["x:{n}"],
      ["p"],
    ]);
    expect([...before.tools.keys()]).toEqual(["a", "b"]);
    expect(after.prompts.get("p")).toBe(before.prompts.get("p"));
  });

  test("a change that changes nothing returns the same offer", () => {
    const pool = createOfferPool(limits);
    const one = pool.change(pool.take(text()), change({ tools: [tool("a")] }));
    const other = pool.change(pool.take(text("b")), change({ tools: [tool("a")] }, { tools: ["b"] }));
    expect([...other.tools]).toEqual([...one.tools]);
    expect(other.tools.get("a")).toBe(one.tools.get("a"));
    expect(pool.change(one, change({}))).toBe(one);
  });

  test("B85: more than offersPerPage is refused, at once or by a change; the earlier offer is kept", () => {
    const pool = createOfferPool(limits);
    const full = pool.take(text("a", "b", "c", "d"));
    for (const refused of [
      () => pool.take(text("a", "b", "c", "d", "e")),
      () =>
        pool.take(
          JSON.stringify({ ...offerWith(tool("a"), tool("b"), tool("c")), prompts: [{ name: "p" }, { name: "q" }] }),
        ),
      () => pool.change(full, change({ prompts: [{ name: "p" }] })),
    ]) {
      expect(refused).toThrowError(
        expect.objectContaining({ code: "offers-too-many", message: expect.stringContaining("offersPerPage") }),
      );
    }
    pool.release(full);
    expect(pool.size).toBe(0);
  });

  test("the last of two tools of one name in one offer counts", () => {
    const pool = createOfferPool(limits);
    const offer = pool.take(JSON.stringify(offerWith(tool("a", { title: "one" }), tool("a", { title: "other" }))));
    expect([...offer.tools.values()]).toEqual([tool("a", { title: "other" })]);
    pool.release(offer);
    const fresh = pool.take(text("a"));
    expect(fresh.tools.get("a")).toEqual(tool("a"));
  });

  test("tabs that come, change, reload and go keep exactly their current offers", async () => {
    const board = createBoard();
    const page = board.page({ tools: [tool("a")] });
    const { session } = board.agent();
    const shown = () =>
      session
        .offer()
        .tools.slice(3)
        .map(({ name }) => name);
    page.offer(tool("a"));
    page.offer(tool("b"));
    page.offer(tool("a"));
    const back = board.page({ tabId: page.tabId });
    back.offer(tool("b"));
    back.offer(tool("a"), tool("b"));
    expect(shown()).toEqual(["a", "b"]);
    const again = board.page({ tabId: page.tabId, tools: [tool("a"), tool("b")] });
    board.page({ tools: [tool("a"), tool("b")] }).lose("gone");
    await board.clock.advance(5000);
    expect(shown()).toEqual(["a", "b"]);
    again.lose("gone");
    await board.clock.advance(5000);
    expect(shown()).toEqual([]);
  });
});
