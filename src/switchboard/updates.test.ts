import { describe, expect, test } from "vitest";
import { createBoard, offerWith } from "./board.test-helper.ts";
import type { TestPage } from "./board.test-helper.ts";

const cart = "shop://cart";
const offer = {
  ...offerWith(),
  resources: [{ uri: cart, name: "cart" }],
  resourceTemplates: [{ uriTemplate: "shop://item/{id}", name: "item" }],
};

/** A board with a page that offers a cart and items, and the updates that an agent receives. */
function shop() {
  const board = createBoard();
  const heard: string[] = [];
  const { session } = board.agent();
  const stop = session.onUpdate((uri, tabId) => heard.push(`${uri} in ${tabId}`));
  const first = board.page();
  first.say({ type: "offer" }, JSON.stringify(offer));
  const updated = (uri: string, by: TestPage = first) => by.say({ type: "updated", uri });
  return { ...board, first, heard, stop, updated };
}

describe("resources that change", () => {
  test("agents of the page's principal learn which resource changed, and in which tab", () => {
    const { agent, heard, stop, updated } = shop();
    const others: string[] = [];
    agent({ principal: "other" }).session.onUpdate((uri) => others.push(uri));
    updated(cart);
    updated("shop://item/7");
    stop();
    updated("shop://item/8");
    expect([heard, others]).toEqual([[`${cart} in tab-1`, "shop://item/7 in tab-1"], []]);
  });

  test("an update of a resource that the tab does not offer is dropped, even if another tab offers it", async () => {
    const { page, heard, updated, clock } = shop();
    const stranger = page({ origin: "https://evil.example" });
    for (const uri of [cart, "shop://item/7"]) updated(uri, stranger);
    for (const uri of ["shop://other", "shop://item/", "shop://item/{id}/x"]) updated(uri);
    await clock.advance(1000);
    expect(heard).toEqual([]);
  });

  test("an update of a resource of several apps has its listed URI as well", () => {
    const { page, heard, updated } = shop();
    page({ app: "bank" }).say({ type: "offer" }, JSON.stringify({ ...offer, resources: [] }));
    for (const uri of [cart, "shop://item/7"]) updated(uri);
    expect(heard).toEqual([cart, "shop://item/7", "shop+shop://item/7"].map((uri) => `${uri} in tab-1`));
  });

  test("a resource that changes again within changesTime is announced once more, at its end", async () => {
    const { heard, updated, clock } = shop();
    for (let count = 0; count < 100; count++) updated(cart);
    updated("shop://item/7");
    expect(heard).toEqual([`${cart} in tab-1`, "shop://item/7 in tab-1"]);
    await clock.advance(100);
    expect(heard.slice(2)).toEqual([`${cart} in tab-1`]);
    updated(cart);
    expect(heard).toHaveLength(3);
    await clock.advance(100);
    expect(heard).toHaveLength(4);
    await clock.advance(1000);
    expect(heard).toHaveLength(4);
    updated(cart);
    expect(heard).toHaveLength(5);
  });

  test("a resource of one tab does not hide the same one of another", () => {
    const { page, heard, updated } = shop();
    const other = page();
    other.say({ type: "offer" }, JSON.stringify(offer));
    updated(cart);
    updated(cart, other);
    expect(heard).toEqual([`${cart} in tab-1`, `${cart} in tab-2`]);
  });

  test("of very many resources that change at once each is announced, and no timer outlives the hub", async () => {
    const { heard, updated, clock, switchboard } = shop();
    const uris = Array.from({ length: 1000 }, (_, id) => `shop://item/${id}`);
    for (const uri of [...uris, ...uris]) updated(uri);
    await clock.advance(100);
    expect(new Set(heard).size).toBe(1000);
    updated(cart);
    switchboard.close();
    expect(clock.pending).toBe(0);
  });
});
