// Another person's links, codes and tokens do not sign anyone in to the assistant, or lead them into another's session.
import { createHub, signAgentToken } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { answer, ask, assistantPage, ready } from "./agent-window.test-helper.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { bearerOf } from "./support/page-bearer.ts";
import { createObedientModel } from "./support/obedient-model.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";

const secret = "a secret that is only for these tests, and long";
const tokenKey = "pagewire.app-token";

let hub: Hub;
let pages: PageServer;
let ada: Browser;

beforeAll(async () => {
  const served: Record<string, Page> = {};
  pages = await servePages(served);
  const app = pages.originFor("app.test");
  hub = await createHub({ port: 0, jwt: { secret }, ai: createObedientModel(), allowedOrigins: () => [app] });
  served["/"] = assistantPage(hub.url);
  served["/evil"] = "<!doctype html><title>Evil</title>";
  ada = await openChromium();
  await signedIn(await ada.open(await linkFor("ada")), "ada");
});
afterAll(async () => {
  await ada?.close();
  await hub?.close();
  await pages?.close();
});

async function codeFor(subject: string): Promise<string> {
  const token = await signAgentToken({ secret, subject, expiresIn: 600 });
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${hub.url}/api/codes`, { method: "POST", headers });
  return ((await response.json()) as { code: string }).code;
}

const linkFor = async (subject: string) => `${hub.url}/#code=${await codeFor(subject)}`;

const tokenOf = (tab: Tab) => tab.evaluate((key: string) => localStorage.getItem(key), tokenKey);

/** The principal that the hub reads from a token, or the status of its refusal. */
async function whoHas(token: string | null): Promise<string | number> {
  const response = await fetch(`${hub.url}/api/app`, { headers: { Authorization: `Bearer ${token}` } });
  return response.ok ? ((await response.json()) as { principal: string }).principal : response.status;
}

async function signedIn(tab: Tab, subject: string): Promise<void> {
  await tab.waitFor("document.querySelector('ai-agent')?.connection === 'open'");
  expect(await whoHas(await bearerOf(tab))).toBe(subject);
}

const asked = "document.querySelector('h1')?.textContent === 'Sign in as mallory?'";

function note(fault: string, observed: string): void {
  recordFault("assistant", { fault, expected: observed, observed, count: 1 });
}

test("a page that opens the hub with its own code does not get a user who is signed in into its own account", async () => {
  const home = await ada.open(hub.url);
  await signedIn(home, "ada");
  const token = await tokenOf(home);
  const evil = await ada.open(`${pages.originFor("evil.test")}/evil`);
  const lure = (link: string) =>
    evil.evaluateAsUser((url: string) => void Object.assign(window, { lured: window.open(url, "lured") }), link);
  const lured = await evil.popup(async () => lure(await linkFor("mallory")));
  await lured.waitFor(asked);
  expect(await lured.evaluate("location.href")).toBe(`${hub.url}/`);
  expect(await tokenOf(lured)).toBe(token);
  await lured.press("Enter");
  await signedIn(lured, "ada");
  expect(await tokenOf(lured)).toBe(token);

  // The window is still open, and only the fragment of its address changes.
  await lure(await linkFor("mallory"));
  await lured.waitFor(asked);
  await lured.evaluate("document.querySelectorAll('button').forEach((button) => button.click())");
  await signedIn(lured, "ada");
  await signedIn(home, "ada");
  for (const tab of [lured, evil, home]) await tab.close();
  note("hostile page opens the hub with its own sign-in code", "the user is asked, and stays who they are");
});

test("with another user's session id there is nothing to be had, and nothing of that session changes", async () => {
  const app = await ada.open(`${pages.originFor("app.test")}/`);
  const assistant = await app.popup(() => app.click("#open"));
  await ready(assistant);
  const conversation = await assistant.evaluate<string>("document.querySelector('ai-agent').conversation");
  await ask(assistant, 'call echo {"tag":"kept"}');
  await answer(assistant);

  const mallory = await openChromium();
  onTestFinished(() => mallory.close());
  const home = await mallory.open(await linkFor("mallory"));
  await signedIn(home, "mallory");
  const tried = await home.evaluate(
    async (id: string, token: string) => {
      const heard: string[] = [];
      Object.assign(window, { heard });
      const open = (opened: () => void = () => {}) =>
        new Promise<number>((resolve) => {
          const socket = new WebSocket(`/ws/parent-window/${id}`, ["pagewire.window.1", `pagewire.bearer.${token}`]);
          socket.onopen = opened;
          socket.onmessage = ({ data }) => heard.push(String(data));
          socket.onclose = ({ code }) => resolve(code);
        });
      const request = async (method: string, path: string, body?: object) => {
        const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
        return (await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).status;
      };
      const tried = [await open(), await request("DELETE", `/api/conversations/${id}`)];
      // This creates a session of mallory's own that happens to have the same id.
      tried.push(await request("POST", "/api/parent-window/tools", { session_id: id, tools: [{ name: "echo" }] }));
      await new Promise<void>((resolve) => void open(resolve).then((code) => heard.push(`closed ${code}`)));
      return tried;
    },
    conversation,
    await bearerOf(home),
  );
  expect(tried).toEqual([4041, 404, 200]);
  await ask(assistant, 'call echo {"tag":"still-adas"}');
  expect(await answer(assistant)).toBe('{"tag":"still-adas"}');
  expect(await home.evaluate("heard")).toEqual([]);
  await home.evaluate((id: string) => {
    Object.assign(document.querySelector("ai-agent") ?? {}, { conversation: id });
  }, conversation);
  await home.waitFor("document.querySelector('ai-agent').connection === 'closed'");
  expect(await home.evaluate("document.querySelector('ai-agent').messages")).toEqual([]);
  for (const tab of [assistant, app]) await tab.close();
  note("another user's session id, with a valid token", "not found; no message of that session");
});

test("a code or a token is worth nothing to a page of another origin, nor anywhere but where it belongs", async () => {
  const home = await ada.open(hub.url);
  await signedIn(home, "ada");
  const token = await bearerOf(home);
  const code = await codeFor("ada");
  const evil = await ada.open(`${pages.originFor("evil.test")}/evil`);
  const outcomes = await evil.evaluate(
    async (url: string, secrets: { code: string; token: string }) => {
      const attempt = (path: string, options: RequestInit) =>
        fetch(url + path, options).then(
          ({ status, type }) => `${status} ${type}`,
          () => "failed",
        );
      const socket = (path: string, protocols: string[]) =>
        new Promise((resolve) => {
          const made = new WebSocket(url.replace("http", "ws") + path, protocols);
          made.onopen = () => resolve("open");
          made.onclose = ({ code: closed }) => resolve(closed);
        });
      const body = JSON.stringify({ code: secrets.code });
      const bearer = { Authorization: `Bearer ${secrets.token}` };
      return [
        await attempt("/api/sign-in", { method: "POST", body, headers: { "Content-Type": "application/json" } }),
        await attempt("/api/sign-in", { method: "POST", body, mode: "no-cors" }),
        await attempt("/api/app", { headers: bearer }),
        await socket("/ws/parent-window/0123456789abcdef0123456789abcdef", [
          "pagewire.window.1",
          `pagewire.bearer.${secrets.token}`,
        ]),
      ];
    },
    hub.url,
    { code, token: token ?? "" },
  );
  expect(outcomes).toEqual(["failed", "0 opaque", "failed", 1006]);
  for (const name of ["token", "access_token", "authorization", "code"]) {
    const { status } = await fetch(`${hub.url}/api/app?${name}=${token}`);
    expect(status, name).toBe(401);
  }
  // The stranger's attempts have not used up the code.
  const link = await ada.open(`${hub.url}/#code=${code}`);
  await signedIn(link, "ada");
  expect(await tokenOf(link)).not.toBe(token);
  expect(await whoHas(token)).toBe(401);
  for (const tab of [link, evil, home]) await tab.close();
  note(
    "stolen code and token in a page of another origin, token in the query",
    "refused; the code still good for its user",
  );
});
