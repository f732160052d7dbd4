import { expect, test } from "vitest";
import { createFakeExtension } from "./fake-extension-api.test-helper.ts";

test("every context gets an event for a stored value that changed, and for no other", async () => {
  const { api } = createFakeExtension();
  const told: unknown[] = [];
  api.storage.onChanged.addListener((changes, area) => told.push([area, changes]));
  await api.storage.local.set({ a: 1, b: { c: 2 } });
  await api.storage.local.set({ a: 1, b: { c: 3 } });
  await api.storage.local.remove(["a", "none"]);
  expect(await api.storage.local.get(null)).toEqual({ b: { c: 3 } });
  expect(told).toEqual([
    ["local", { a: { newValue: 1 }, b: { newValue: { c: 2 } } }],
    ["local", { b: { oldValue: { c: 2 }, newValue: { c: 3 } } }],
    ["local", { a: { oldValue: 1 } }],
  ]);
});

test("a permission is granted, told and removed, and a refused one is not there", async () => {
  const fake = createFakeExtension();
  const shop = { origins: ["http://shop.example:3000/*"] };
  fake.grants = false;
  expect([await fake.api.permissions.request(shop), await fake.api.permissions.contains(shop)]).toEqual([false, false]);
  fake.granted.add("http://shop.example/*");
  expect(await fake.api.permissions.contains(shop)).toBe(true);
  expect(fake.requests).toEqual([shop]);
});

test("a port carries messages both ways, and its end reaches the other side", async () => {
  const fake = createFakeExtension();
  const sender = { id: "x", origin: "https://shop.example", frameId: 0 };
  const told: unknown[] = [];
  fake.api.runtime.onConnect.addListener((port) => {
    port.onMessage.addListener((message) => port.postMessage({ message, from: port.sender?.origin }));
    port.onDisconnect.addListener(() => told.push("end"));
  });
  const port = fake.contentApi(sender).connect({ name: "page" });
  port.onMessage.addListener((message) => told.push(message));
  port.postMessage("hello");
  await expect.poll(() => told).toEqual([{ message: "hello", from: "https://shop.example" }]);
  port.disconnect();
  await expect.poll(() => told.at(-1)).toBe("end");
  expect(() => port.postMessage("late")).toThrow("disconnected port");
});

test("a message is answered at once, later, or by no one", async () => {
  const { api } = createFakeExtension();
  await expect(api.runtime.sendMessage("a")).rejects.toThrow("Receiving end does not exist");
  api.runtime.onMessage.addListener((message, _sender, answer) => {
    if (message === "silent") return undefined;
    queueMicrotask(() => answer({ heard: message }));
    return true;
  });
  expect([await api.runtime.sendMessage("b"), await api.runtime.sendMessage("silent")]).toEqual([
    { heard: "b" },
    undefined,
  ]);
});
