// The assistant's window when it is closed, blocked, taken over by another page, or opened twice.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import {
  answer,
  ask,
  assistantPage,
  countsOf,
  createAssistantWorld,
  ready,
  started,
} from "./agent-window.test-helper.ts";
import type { AssistantWorld } from "./agent-window.test-helper.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";

let world: AssistantWorld;
let app: Tab;

beforeAll(async () => {
  world = await createAssistantWorld({
    host: "app.test",
    pages: (hub) => ({ "/named": assistantPage(hub, { bridge: "SeahorseAgentBridge" }) }),
  });
});
afterAll(() => world?.close());
beforeEach(async () => {
  app = await world.openApp();
});
afterEach(async () => {
  for (const popup of await app.popups()) await popup.close();
  await app.close();
});

const lastState = (tab: Tab) => tab.evaluate<string[]>("states.at(-1)");

/** The model's answer that contains this text, in any window. */
function saidOf(text: string): Promise<string> {
  const look = async () => world.said.find((said) => said.includes(text)) ?? "";
  return waitUntil(look, () => `The model said nothing of "${text}", but: ${world.said.join(" | ")}`);
}

function note(fault: string, observed: string): void {
  recordFault("assistant", { fault, expected: "one run, and the model is told the truth", observed, count: 1 });
}

test("when the user closes the window the app is told, its tool is stopped, and the model is told that nobody knows", async () => {
  const assistant = await world.openAssistant(app);
  await ask(assistant, 'call hold {"tag":"closed"}');
  await started(app, "closed");
  await assistant.close();
  await app.waitFor("bridge.getConnectionState() === 'disconnected'");
  expect(await lastState(app)).toEqual(["connected", "disconnected", "closed-by-user"]);
  expect(await app.evaluate("bridge.isAgentOpen()")).toBe(false);
  expect(await countsOf(app, "closed")).toEqual({ ran: 1, aborted: 1 });
  expect(await saidOf("was lost while")).toContain("(outcome-unknown)");
  await worksIn(await world.openAssistant(app), "opened-again");
  note("window closed while a tool runs", "handler stopped, outcome-unknown, one run");
});

test("a window that the browser blocks is told with its reason, and a click opens it", async () => {
  expect(await app.evaluate("bridge.openAgent()")).toBe(null);
  expect(await app.evaluate("states")).toEqual([
    ["disconnected", "connecting", null],
    ["connecting", "disconnected", "popup-blocked"],
  ]);
  expect(await app.popups()).toEqual([]);
  await worksIn(await world.openAssistant(app), "unblocked");
});

test("of two pages with one window name the second has the window; the first is told, and its tool is stopped", async () => {
  const first = await world.openApp("/named");
  const assistant = await world.openAssistant(first);
  await ask(assistant, 'call hold {"tag":"taken"}');
  await started(first, "taken");
  const second = await world.browser.open(await first.evaluate("location.href"), { fromOpener: first });
  await keepBusy(assistant);
  await second.click("#open");
  await second.waitFor("bridge.getConnectionState() === 'connected'");
  await first.waitFor("bridge.getConnectionState() === 'disconnected'");
  expect(await lastState(first)).toEqual(["connected", "disconnected", "replaced"]);
  expect(await answer(assistant)).toContain("(outcome-unknown)");
  expect(await countsOf(first, "taken")).toEqual({ ran: 1, aborted: 1 });
  expect(await second.popups()).toEqual([]);
  await ready(assistant);
  await ask(assistant, 'call hold {"tag":"second"}');
  await second.waitFor("'second' in (window.held ?? {})");
  expect(await first.evaluate("'second' in held")).toBe(false);
  await second.evaluate("held.second()");
  expect(await answer(assistant)).toBe('{"tag":"second"}');
  note("another page opens the same window while a tool runs", "handler stopped, outcome-unknown, one run");
  for (const tab of [assistant, second, first]) await tab.close();
});

test("a conversation that is also open on the home page keeps the app's tools, also for what is asked there", async () => {
  const assistant = await world.openAssistant(app);
  await ask(assistant, 'call hold {"tag":"watched"}');
  await started(app, "watched");
  const home = await world.browser.open(world.hub.url);
  await openConversation(home, await conversationOf(assistant));
  await home.waitFor("document.querySelector('#talk').innerText.includes('watched')");
  await app.evaluate("held.watched()");
  expect(await answer(assistant)).toBe('{"tag":"watched"}');
  expect(await answer(home)).toBe('{"tag":"watched"}');
  await worksIn(home, "from-home");
  expect(await countsOf(app, "from-home")).toEqual({ ran: 1, aborted: 0 });
  await worksIn(assistant, "from-assistant");
  await home.close();
});

test("a second window of a conversation takes it over: a call that ran is not run by its app, and the first can have it back", async () => {
  const assistant = await world.openAssistant(app);
  await ask(assistant, 'call hold {"tag":"twice"}');
  await started(app, "twice");
  const otherApp = await world.openApp();
  const other = await world.openAssistant(otherApp);
  await openConversation(other, await conversationOf(assistant));
  expect(await answer(assistant)).toContain("(outcome-unknown)");
  expect(await otherApp.evaluate("'held' in window")).toBe(false);
  expect((await countsOf(app, "twice")).ran).toBe(1);
  await worksIn(other, "in-the-second");
  await assistant.waitFor("document.querySelector('.top-bar').innerText.includes('Open in another window')");
  await assistant.click(".notice button");
  await ready(assistant);
  await other.waitFor("document.querySelector('.top-bar').innerText.includes('Open in another window')");
  await worksIn(assistant, "back-in-the-first");
  note("conversation opened in a second window while a tool runs", "outcome-unknown, one run");
  for (const tab of [other, otherApp]) await tab.close();
});

/** Blocks the window's thread for a second, so that it may reload before it receives the takeover. */
async function keepBusy(window: Tab): Promise<void> {
  const hang = () => {
    const end = performance.now() + 1000;
    while (performance.now() < end);
  };
  await window.evaluate(`void setTimeout(${String(hang)}, 20)`);
}

async function worksIn(assistant: Tab, tag: string): Promise<void> {
  await ask(assistant, `call echo {"tag":"${tag}"}`);
  expect(await answer(assistant)).toBe(`{"tag":"${tag}"}`);
}

function conversationOf(assistant: Tab): Promise<string> {
  return assistant.evaluate("document.querySelector('ai-agent').conversation");
}

/** Opens a conversation from the list. */
async function openConversation(window: Tab, id: string): Promise<void> {
  await window.waitFor("document.querySelector('ai-agent')?.connection === 'open'");
  await window.evaluate(`void (document.querySelector("ai-agent").conversation = ${JSON.stringify(id)})`);
  await window.waitFor(`document.querySelector("ai-agent").conversation === ${JSON.stringify(id)}`);
  await window.waitFor("document.querySelector('ai-agent').messages.length > 0");
}
