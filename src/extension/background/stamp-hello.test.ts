import { expect, test } from "vitest";
import { createMemoryLinks } from "../../link/index.ts";
import { recordLink } from "../../testing/index.ts";
import { encodeText } from "../../wire/index.ts";
import { stampHello } from "./stamp-hello.ts";

const stamp = { token: "secret", origin: "https://shop.example", tab: "salt-7", app: "shop.example" };
const hello = { type: "hello", versions: [1], tab: "mine", app: "bank", focused: true, running: [], title: "Shop" };

function createStamped() {
  const [page, far] = createMemoryLinks();
  const told: string[] = [];
  const hub = stampHello(far, stamp, {
    welcomed: () => told.push("welcomed"),
    refused: ({ code }) => told.push(code),
  });
  return { page, hub, told, atHub: recordLink(hub), atPage: recordLink(page) };
}

test("a page's hello says who it is in the worker's words alone, and the rest passes unread", async () => {
  const { page, atHub } = createStamped();
  page.send(encodeText({ ...hello, origin: "https://bank.example", token: "stolen" }));
  page.send('{"type":"offer"}\n{"tools":[]}');
  const [first = "", second] = await atHub.received(2);
  expect(JSON.parse(String(first))).toEqual({ ...hello, ...stamp });
  expect(second).toBe('{"type":"offer"}\n{"tools":[]}');
});

test("a link whose first frame is no hello is closed, and the hub hears nothing of it", async () => {
  for (const first of [
    '{"type":"offer"}',
    "{",
    "",
    encodeText({ ...hello, versions: "1" }),
    encodeText({ type: "pair", code: "c", name: "n" }),
  ]) {
    const { page, atHub, atPage } = createStamped();
    page.send(first);
    page.send(encodeText(hello));
    await atPage.closed;
    await atHub.closed;
    expect(atHub.messages).toEqual([]);
  }
});

test("a welcome and a refusal are noticed, also a refusal that comes later; results that look like one are not", async () => {
  const { hub, told, atPage } = createStamped();
  hub.send('{"type":"welcome","version":1}');
  hub.send('{"type":"call","id":"1"}\n{"type":"refused"}');
  hub.send('{"type":"refused","code":"token-expired","message":"m"}');
  await atPage.received(3);
  expect(told).toEqual(["welcomed", "token-expired"]);
});
