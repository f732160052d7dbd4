import { expect, test } from "vitest";
import { PagewireError, defaultLimits } from "../wire/index.ts";
import { createBoard, offerWith, tool } from "./board.test-helper.ts";

/** An offer of about this many bytes. */
const offerOf = (name: string, bytes: number) => [tool(name, { description: "x".repeat(bytes) })];

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (PagewireError.isInstance(error)) return error.code;
    throw error;
  }
  return "taken";
}

test("the pages of one principal offer at most `offeredBytesPerPrincipal` together, and others have their own limit", () => {
  const board = createBoard({ offeredBytesPerPrincipal: 5000 });
  board.page({ tools: offerOf("a", 2000) });
  const second = board.page({ tools: offerOf("b", 2000) });
  const third = board.page();
  expect(codeOf(() => third.offer(...offerOf("c", 2000)))).toBe("offers-too-large");
  expect(codeOf(() => board.page({ principal: "other", tools: offerOf("c", 2000) }))).toBe("taken");
  second.say({ type: "bye", final: true });
  expect(codeOf(() => third.offer(...offerOf("c", 2000)))).toBe("taken");
});

test("an offer of many tabs counts once, and one that replaces another does not count in addition", () => {
  const board = createBoard({ offeredBytesPerPrincipal: 5000 });
  const pages = Array.from({ length: 20 }, () => board.page({ tools: offerOf("a", 3000) }));
  for (const page of pages.slice(1)) page.say({ type: "bye", final: true });
  const [page] = pages;
  expect(codeOf(() => page?.offer(...offerOf("b", 4000)))).toBe("taken");
  const change = JSON.stringify({ add: offerWith(...offerOf("b", 4500)) });
  expect(codeOf(() => page?.say({ type: "offer-change" }, change))).toBe("taken");
  expect(codeOf(() => page?.offer(...offerOf("b", 6000)))).toBe("offers-too-large");
});

test("the earlier offer of a page that was refused is released when the page goes", () => {
  const board = createBoard({ offeredBytesPerPrincipal: 5000 });
  for (let round = 0; round < 10; round++) {
    const page = board.page({ tools: offerOf("a", 3000) });
    expect(codeOf(() => page.offer(...offerOf("b", 6000)))).toBe("offers-too-large");
    page.say({ type: "bye", final: true });
  }
  expect(codeOf(() => board.page({ tools: offerOf("c", 4500) }))).toBe("taken");
});

test("a text with a character beyond Latin-1 counts two bytes for each of its characters", () => {
  const board = createBoard({ offeredBytesPerPrincipal: 5000 });
  const page = board.page();
  expect(codeOf(() => page.offer(...offerOf("€", 0)))).toBe("name-invalid");
  expect(codeOf(() => page.offer(tool("a", { description: `€${"x".repeat(3000)}` })))).toBe("offers-too-large");
  expect(codeOf(() => page.offer(tool("a", { description: `é${"x".repeat(3000)}` })))).toBe("taken");
});

test("a principal has at most `tabsPerPrincipal` tabs; one that comes back is not counted again, and others have their own limit", () => {
  const board = createBoard({ tabsPerPrincipal: 2 });
  const first = board.page();
  board.page();
  expect(codeOf(() => board.page())).toBe("tabs-too-many");
  expect(codeOf(() => board.page({ principal: "other" }))).toBe("taken");
  expect(codeOf(() => board.page({ tabId: first.tabId }))).toBe("taken");
  first.lose("gone");
  expect(codeOf(() => board.page())).toBe("tabs-too-many");
});

test("the pages of one principal offer at most `offersPerPrincipal` things, equal offers counted once, and others have their own limit", () => {
  const board = createBoard({ offersPerPrincipal: 3 });
  const two = [tool("a"), tool("b")];
  const page = board.page({ tools: two });
  board.page({ tools: two });
  const third = board.page();
  expect(codeOf(() => third.offer(tool("c"), tool("d")))).toBe("offers-too-many");
  expect(codeOf(() => third.offer(tool("c")))).toBe("taken");
  expect(codeOf(() => page.offer(tool("a"), tool("b"), tool("d")))).toBe("offers-too-many");
  expect(codeOf(() => board.page({ principal: "other", tools: two }))).toBe("taken");
});

test("an offer that replaces another does not count in addition, and a refused one is not kept", () => {
  const board = createBoard({ offersPerPrincipal: 3 });
  const page = board.page({ tools: [tool("a"), tool("b")] });
  expect(codeOf(() => page.offer(tool("c"), tool("d"), tool("e")))).toBe("taken");
  for (let round = 0; round < 5; round++) {
    expect(codeOf(() => page.offer(tool("c"), tool("d"), tool("e"), tool("f")))).toBe("offers-too-many");
  }
  expect(codeOf(() => page.offer(tool("f"), tool("g"), tool("h")))).toBe("taken");
});

test("the offers of all principals have a limit, too, and there is room again when a tab goes", async () => {
  const board = createBoard({ offeredBytesInAll: 5000 });
  const first = board.page({ principal: "one", tools: offerOf("a", 3000) });
  // The same text is already stored.
  expect(codeOf(() => board.page({ principal: "two", tools: offerOf("a", 3000) }).lose("gone"))).toBe("taken");
  const other = board.page({ principal: "three" });
  expect(codeOf(() => other.offer(...offerOf("b", 3000)))).toBe("offers-too-large");
  first.say({ type: "bye", final: true });
  await board.clock.advance(defaultLimits.graceTime);
  expect(codeOf(() => other.offer(...offerOf("b", 3000)))).toBe("taken");
});

test("an offer of more bytes than the limit is refused before it is parsed", () => {
  const board = createBoard({ offeredBytesPerPrincipal: 5000 });
  const page = board.page();
  const offer = (payload: Uint8Array) => codeOf(() => page.say({ type: "offer" }, payload));
  expect(offer(new Uint8Array(5001))).toBe("offers-too-large");
  expect(offer(new TextEncoder().encode(JSON.stringify(offerWith(tool("a")))))).toBe("taken");
});
