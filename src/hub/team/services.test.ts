import { expect, test } from "vitest";
import { systemClock } from "../../link/index.ts";
import { defaultLimits } from "../../wire/index.ts";
import { createLater, createMemoryStore } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import { createFailingStore } from "../store/test-support/failing-store.test-helper.ts";
import { Keys } from "./keys.ts";
import { Services } from "./services.ts";

async function open(store: Store) {
  const quiet = { onNotSaved: () => {}, onEnded: () => {}, now: Date.now };
  const keys = new Keys({ store, later: createLater(systemClock), limits: defaultLimits, ...quiet });
  await keys.load();
  const services = new Services(keys, Date.now);
  const expiresAt = Date.now() + 3_600_000;
  const make = (name: string) =>
    services.make("acme", { name, scopes: ["tools"], madeBy: "", allowed: undefined, expiresAt });
  const rotate = (keepOldFor = 0) => services.rotate("acme", "deploy", { expiresAt, keepOldFor });
  return { keys, services, make, rotate, expiresAt };
}

test("TM23: a service account that is removed while it gets a new key stays removed", async () => {
  const store = createMemoryStore();
  let removed: Promise<void> | undefined;
  const { keys, services, make, rotate } = await open({
    ...store,
    async replaceRecord(...given) {
      const isReplaced = await store.replaceRecord(...given);
      if (given[2].before) removed = services.remove("acme", "deploy");
      return isReplaced;
    },
  });
  const { key } = await make("deploy");
  expect(await rotate(60_000)).toBeUndefined();
  await removed;
  await expect(keys.admit(key)).rejects.toThrow("none any more");
  expect(await services.list("acme")).toEqual([]);
});

test("of two service accounts of one name that are made at once, also at two hubs, one is made", async () => {
  const store = createMemoryStore();
  const [one, other] = [await open(store), await open(store)];
  const made = await Promise.allSettled([one.make("deploy"), one.make("deploy"), other.make("deploy")]);
  const keys = made.flatMap((each) => (each.status === "fulfilled" ? [each.value.key] : []));
  const refused = made.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  expect(keys).toHaveLength(1);
  expect(refused).toMatchObject([{ code: "option-refused" }, { code: "option-refused" }]);
  const [kept] = await (await open(store)).services.list("acme");
  expect(kept?.keys).toHaveLength(1);
  const { principal } = await (await open(store)).keys.admit(String(keys[0]));
  expect(principal).toBe("acme:service/deploy");
});

test("TM23: a service account whose removal is not saved yet gets no new key", async () => {
  const store = createFailingStore();
  const { services, make, rotate } = await open(store);
  await make("deploy");
  store.failure = "away";
  await expect(services.remove("acme", "deploy")).rejects.toMatchObject({ code: "not-saved" });
  store.failure = undefined;
  expect(await rotate()).toBeUndefined();
  expect(await services.list("acme")).toEqual([]);
});

test("the last use of a key is kept no longer than the key", async () => {
  const store = createMemoryStore();
  const { keys, services, make, rotate } = await open(store);
  const { key } = await make("deploy");
  const uses = async () => (await store.records("service-uses", "acme:service/deploy")).size;
  await keys.admit(key);
  await expect.poll(uses).toBe(1);
  const rotated = await rotate();
  await expect.poll(uses).toBe(0);
  await keys.admit(rotated?.key ?? "");
  await expect.poll(uses).toBe(1);
  await services.remove("acme", "deploy");
  await expect.poll(uses).toBe(0);
});

test("TM30: a key that another hub made just now is good here before that hub's message has come", async () => {
  const store = createMemoryStore();
  const [one, other] = [await open(store), await open(store)];
  const { key } = await one.make("deploy");
  expect((await other.keys.admit(key)).principal).toBe("acme:service/deploy");
  const rotated = await one.rotate(60_000);
  expect((await other.keys.admit(rotated?.key ?? "")).principal).toBe("acme:service/deploy");
  await one.services.remove("acme", "deploy");
  const { key: again } = await one.make("deploy");
  await other.keys.admit(again);
  await expect(other.keys.admit(key)).rejects.toThrow("none any more");
});

test("TM30: the store does not bring back a key whose removal is not saved yet", async () => {
  const store = createFailingStore();
  const { keys, services, make } = await open(store);
  const { key } = await make("deploy");
  store.failure = "away";
  await expect(services.remove("acme", "deploy")).rejects.toMatchObject({ code: "not-saved" });
  await expect(keys.admit(key)).rejects.toMatchObject({ code: "token-invalid" });
});

test("TM30: while the store cannot be read, a key that is not known may be good, and is no 401", async () => {
  const store = createFailingStore();
  const [one, other] = [await open(store), await open(store)];
  const { key: known } = await other.make("known");
  const { key } = await one.make("deploy");
  Object.assign(store, { failure: "away", failsToRead: true });
  await expect(other.keys.admit(key)).rejects.toMatchObject({ code: "not-saved", retryAfter: 5000 });
  expect((await other.keys.admit(known)).principal).toBe("acme:service/known");
});

test("TM30: an address that brings many unknown keys at once takes no room of others", async () => {
  const store = createMemoryStore();
  const [one, other] = [await open(store), await open(store)];
  const { key } = await one.make("deploy");
  const unknown = `${key.slice(0, -43)}${"x".repeat(43)}`;
  const asked = await Promise.allSettled(Array.from({ length: 40 }, () => other.keys.admit(unknown, "10.0.0.1")));
  const codes = asked.map((each) => each.status === "rejected" && (each.reason as { code?: string }).code);
  expect(codes.filter((code) => code === "token-invalid")).toHaveLength(16);
  expect(codes.filter((code) => code === "requests-too-many")).toHaveLength(24);
  expect((await other.keys.admit(key, "10.0.0.2")).principal).toBe("acme:service/deploy");
});

test("all keys that a store has are read, however many", async () => {
  const store = createMemoryStore();
  const { expiresAt } = await open(store);
  const keys = Array.from({ length: 200_000 }, () => ({ digest: "d".repeat(43), madeAt: 1, expiresAt }));
  const service = { principal: "", whose: "acme:service/x", scopes: ["tools"], madeBy: "", madeAt: 1, keys };
  await store.setRecord("services", "x", service);
  expect(await (await open(store)).services.list("acme")).toMatchObject([{ name: "x" }]);
});
