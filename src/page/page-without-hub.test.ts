// A page that its worker welcomed in the hub's place.
import { expect, test } from "vitest";
import { cutOff } from "../wire/index.ts";
import { openPage } from "./test-support/page-under-test.test-helper.ts";

const message = "No hub answers. The worker serves this browser's own clients.";
const welcome = { type: "welcome", version: 1, tab: "tab", at: 0, heartbeat: 15_000 } as const;

async function pageWithoutHub() {
  const opened = openPage();
  await opened.browser.clock.advance(0);
  const { end } = opened.browser.hub;
  await end.say({ ...welcome, message });
  return { ...opened, end };
}

test("a page that has no hub says so", async () => {
  const { page, end, browser } = await pageWithoutHub();
  expect(page.state).toMatchObject({ status: "connected", message });
  await end.close(cutOff);
  await browser.clock.advance(500);
  await browser.hub.welcome();
  expect(page.state).toMatchObject({ message: "Connected to the hub at http://127.0.0.1:7337." });
});

test("the focus, the network and reconnect() have the worker look for the hub at once; a hub hears nothing of them", async () => {
  const { page, document, end, browser } = await pageWithoutHub();
  await document.wake();
  page.reconnect();
  await browser.clock.advance(0);
  expect(end.types).toEqual(["hello", "offer", "wake", "wake"]);
  await end.close(cutOff);
  await browser.clock.advance(500);
  const hub = await browser.hub.welcome();
  await document.wake();
  page.reconnect();
  await browser.clock.advance(0);
  expect(hub.types).toEqual(["hello", "offer"]);
});
