// Pages, programs and extensions that are not paired claim to speak for the sites of others.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  connectTab,
  extension,
  listBrowsers,
  mintBrowserCode,
  openExtension,
  pairBrowser,
} from "../../../src/hub/test-support/extension.test-helper.ts";
import { askOwn, mintCode } from "../../../src/hub/test-support/own.test-helper.ts";
import { helloOf, openPage } from "../../../src/hub/test-support/page.test-helper.ts";
import type { TestPageOptions } from "../../../src/hub/test-support/page.test-helper.ts";
import { closeSockets, shop } from "../../../src/hub/test-support/peer.test-helper.ts";
import { openState } from "../../../src/state/index.ts";
import { startLocalHub } from "./local-hub.test-helper.ts";
import type { LocalHub } from "./local-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

let hub: LocalHub;
let key: string;
let token: string;

const site = "https://bank.example";
const other = "chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba";

beforeAll(async () => {
  hub = await startLocalHub();
  const state = openState(hub.home);
  key = state.shellKey();
  state.close();
  ({ token } = await pairBrowser(hub, { code: await mintBrowserCode(hub, key) }));
});
afterAll(async () => {
  closeSockets();
  await hub?.close();
});

/** The origin that the hub takes a page for, or why it is refused. */
async function originOf(options: TestPageOptions): Promise<string> {
  const tab = crypto.randomUUID();
  const page = await openPage(hub.url, options);
  page.send(helloOf({ tab, ...options }));
  const verdict = await page.verdict();
  if (verdict !== "welcome") return verdict;
  const { body } = await askOwn(hub, "GET /api/tabs", { token: hub.token, origin: undefined });
  const tabs = body?.["tabs"] as readonly { origin: string; state: string }[];
  page.link.close();
  await page.closed;
  return tabs.find(({ state }) => state === "connected")?.origin ?? "no tab";
}

test("no page, program or other extension speaks for a site that is not its own", async () => {
  const tally = startTally("browsers", "a page or an extension claims the tab of another site", "refused, or its own");
  const made = await mintCode(hub, hub.token);
  const app = (await askOwn(hub, "POST /api/sign-in", { body: JSON.stringify({ code: made }) })).body?.["token"];
  for (const claims of [site, hub.url, "null", shop])
    for (const stolen of [undefined, token, hub.token, key, String(app)]) {
      const credential = stolen === undefined ? {} : { token: stolen };
      for (const origin of [shop, "https://evil.example", "null", extension, other]) {
        const isPaired = origin === extension && stolen === token;
        const own = isPaired && [site, shop].includes(claims) ? [claims] : origin === shop ? [shop] : [];
        const found = await originOf({ ...credential, claims, origin });
        const isRefused = /^(origin-not-allowed|token-(required|invalid|expired))$/.test(found);
        tally.add(
          `${claims} from ${origin} with ${stolen ?? "nothing"}`,
          isRefused || own.includes(found) ? "refused, or its own" : found,
        );
      }
    }
  tally.close();
});

test("no code of another kind, no guess and no second use pairs a browser, and no agent makes a code", async () => {
  const tally = startTally("browsers", "a browser is paired without a code of the owner's", "refused");
  const used = await mintBrowserCode(hub, key);
  await pairBrowser(hub, { code: used, name: "Used" });
  const before = await listBrowsers(hub);
  const guesses = Array.from({ length: 50 }, () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url"),
  );
  const shell = await askOwn(hub, "POST /api/shell-codes", { token: key, origin: undefined });
  const codes = [
    used,
    await mintCode(hub, hub.token),
    String(shell.body?.["code"]),
    token,
    hub.token,
    key.slice(0, 100),
    "",
    ...guesses,
  ];
  for (const code of codes)
    for (const origin of [extension, "moz-extension://3e7c6a54-0b4b-4a0e-9a0a-111111111111"]) {
      const peer = await openExtension(hub, { type: "pair", code, name: "Evil" }, origin);
      tally.add(`pair with ${code}`, (await peer.next("refused")).frame.code === "code-invalid" ? "refused" : "paired");
    }
  // A code that a page of a site presents is not even read.
  const unread = await mintBrowserCode(hub, key);
  for (const origin of [shop, hub.url]) {
    const page = await openPage(hub.url, { origin });
    page.send({ type: "pair", code: unread, name: "Evil" });
    page.send({ type: "offer" });
    tally.add(`pair as a page of ${origin}`, (await page.verdict()) === "hello-expected" ? "refused" : "let in");
  }
  for (const origin of [undefined, hub.url, extension, shop]) {
    const { status } = await askOwn(hub, "POST /api/browser-codes", { token: hub.token, origin });
    tally.add(`a code by an agent from ${origin}`, [401, 403].includes(status) ? "refused" : status);
  }
  expect(await listBrowsers(hub)).toEqual(before);
  expect((await pairBrowser(hub, { code: unread })).name).toBe("Chrome 2");
  tally.close();
});

test("what a paired extension sends as frames of pages takes no other tab with it", async () => {
  const tab = await connectTab(hub, token, { tab: "mine", tools: ["mine"] });
  const evil = await openExtension(hub, {
    ...helloOf({ token, claims: "https://news.example", tab: "mine" }),
    origin: { toString: 1 },
  });
  expect(await evil.closeName()).toBe("frame-malformed");
  await tab.settled();
  expect(tab.link.open).toBe(true);
});
