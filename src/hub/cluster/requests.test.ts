import { expect, test } from "vitest";
import { PagewireError } from "../../wire/index.ts";
import { createMemoryHubs } from "./memory-hubs.test-helper.ts";

async function startTwo() {
  const hubs = createMemoryHubs();
  const [a, b] = [hubs.hub("a"), hubs.hub("b")];
  await hubs.clock.advance(1000);
  return { ...hubs, a, b };
}

test("MH27: a question is answered by the hub that was asked, or refused in its words", async () => {
  const { a, b } = await startTwo();
  b.cluster.others.answers("double", ({ n }, from) => ({ n: Number(n) * 2, from }));
  b.cluster.others.answers("refuse", () => {
    throw new PagewireError("route-not-found", "Not here.");
  });
  b.cluster.others.answers("fail", () => {
    throw new Error("a secret");
  });
  expect(await a.cluster.others.ask(b.cluster.id, "double", { n: 4 })).toEqual({ n: 8, from: a.cluster.id });
  const refusals = await Promise.allSettled(
    ["refuse", "fail", "unknown"].map((topic) => a.cluster.others.ask(b.cluster.id, topic, {})),
  );
  const codes = refusals.map((each) => each.status === "rejected" && (each.reason as PagewireError).code);
  expect(codes).toEqual(["route-not-found", "internal-error", "route-not-found"]);
  expect(JSON.stringify(refusals)).not.toContain("secret");
  expect(await a.cluster.others.askAll("double", { n: 1 })).toEqual([
    { hub: b.cluster.id, value: { n: 2, from: a.cluster.id } },
  ]);
});

test("MH27: a question to a hub that is gone, falls silent, or cannot be reached is refused, and all others are answered", async () => {
  const { a, b, clock } = await startTwo();
  const failed = (asked: Promise<unknown>) =>
    asked.then(
      () => "answered",
      (error: PagewireError) => error.code,
    );
  b.cluster.others.answers("wait", () => new Promise(() => {}));
  const silent = failed(a.cluster.others.ask(b.cluster.id, "wait", {}));
  await clock.advance(2000);
  expect(await silent).toBe("bus-unavailable");
  const cut = failed(a.cluster.others.ask(b.cluster.id, "wait", {}));
  a.bus.setUp(false);
  expect([await cut, await failed(a.cluster.others.ask(b.cluster.id, "wait", {}))]).toEqual([
    "bus-unavailable",
    "bus-unavailable",
  ]);
  expect(await failed(a.cluster.others.ask("a-hub-that-never-was00", "wait", {}))).toBe("bus-unavailable");
});

test("a name says which hub its thing lives at, to every other hub", async () => {
  const { a, b } = await startTwo();
  const name = a.cluster.others.nameHere("thing.1");
  expect([a.cluster.others.hubOf(name), b.cluster.others.hubOf(name), b.cluster.others.hubOf("thing")]).toEqual([
    undefined,
    a.cluster.id,
    undefined,
  ]);
  expect([b.cluster.others.has(a.cluster.id), b.cluster.others.has("a-hub-that-never-was00")]).toEqual([true, false]);
});

test("MH26: a connection to a hub that cannot be reached is refused, as nothing would end it", async () => {
  const { clock, hub } = createMemoryHubs();
  const [a, b] = [hub("a"), hub("b")];
  await clock.advance(1000);
  const missing = "x".repeat(22);
  expect(() => a.cluster.others.connect(missing)).toThrow(expect.objectContaining({ code: "bus-unavailable" }));
  a.cluster.others.connect(b.cluster.id).destroy();
  a.bus.setUp(false);
  expect(() => a.cluster.others.connect(b.cluster.id)).toThrow(expect.objectContaining({ code: "bus-unavailable" }));
});
