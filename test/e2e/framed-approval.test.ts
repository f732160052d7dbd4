// The assistant in a frame of the app: it asks its user in a separate window, which the app cannot cover.
import { afterAll, beforeAll, expect, test } from "vitest";
import { assistantPage, countsOf, createAssistantWorld, decide } from "./agent-window.test-helper.ts";
import type { AssistantWorld } from "./agent-window.test-helper.ts";
import type { Point } from "./support/input.ts";
import { locateExpression } from "./support/input.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";

let world: AssistantWorld;
let other: PageServer;

beforeAll(async () => {
  const pages: Record<string, Page> = {};
  other = await servePages(pages);
  world = await createAssistantWorld({
    pages: (hub) => ({ "/framed": framedPage(hub) }),
    allowed: [other.origin],
  });
  pages["/framed"] = framedPage(world.hub.url);
});

afterAll(async () => {
  await world?.close();
  await other?.close();
});

/** The app with its assistant inside it. */
function framedPage(hub: string): string {
  const script = `
const place = document.body.appendChild(document.createElement("div"));
const frame = bridge.mount(place);
frame.style.cssText = "width: 700px; height: 500px; border: 0";`;
  return assistantPage(hub, { script });
}

/** Evaluates in the assistant's frame: it is another document, but shares the mouse with the app. */
async function inFrame<Result>(app: Tab, expression: string): Promise<Result | undefined> {
  const { frameTree } = await app.send<{ frameTree: { childFrames?: { frame: { id: string } }[] } }>(
    "Page.getFrameTree",
  );
  const frameId = frameTree.childFrames?.[0]?.frame.id;
  if (frameId === undefined) return undefined;
  const { executionContextId } = await app.send<{ executionContextId: number }>("Page.createIsolatedWorld", {
    frameId,
  });
  const { result } = await app.send<{ result: { value?: Result } }>("Runtime.evaluate", {
    expression,
    contextId: executionContextId,
    returnByValue: true,
  });
  return result.value;
}

async function inFrameUntil<Result>(app: Tab, expression: string): Promise<Result> {
  const look = () => inFrame<Result>(app, expression);
  return (await waitUntil(look, () => `The frame never gave something truthy for ${expression}.`)) as Result;
}

/** Clicks in the frame, as a person does. */
async function clickInFrame(app: Tab, selector: string): Promise<void> {
  const { x, y } = await inFrameUntil<Point>(app, locateExpression(selector));
  const frame = await app.evaluate<Point>("document.querySelector('iframe').getBoundingClientRect().toJSON()");
  const at = { x: x + frame.x, y: y + frame.y, button: "left", clickCount: 1 };
  for (const type of ["mousePressed", "mouseReleased"]) await app.send("Input.dispatchMouseEvent", { ...at, type });
}

/** Asks the assistant in the app's frame, once the two are connected. */
async function askInFrame(app: Tab, text: string): Promise<void> {
  await app.waitFor("bridge.getConnectionState() === 'connected'");
  await inFrameUntil(app, "document.querySelector('.composer textarea')?.placeholder.startsWith('Ask about 127')");
  await clickInFrame(app, ".composer textarea");
  await app.send("Input.insertText", { text });
  await app.press("Enter");
}

test("a framed assistant asks in a window of its own, and the tool runs once it is allowed there", async () => {
  const app = await world.openApp("/framed");
  await askInFrame(app, 'call write {"tag":"framed"}');
  const isArmed = ".approval .choices .button[aria-disabled=false]";
  await inFrameUntil(app, `document.querySelector("${isArmed}") !== null`);
  const answers = "[...document.querySelectorAll('.approval button')].map(({ textContent }) => textContent)";
  expect(await inFrame(app, answers)).toEqual(["Review in a window"]);
  await clickInFrame(app, "[aria-label=Settings]");
  await inFrameUntil(app, "document.querySelector('dialog[open]')?.textContent.includes('In a window of its own')");
  expect(await inFrame(app, "document.querySelector('dialog[open] [role=switch]')")).toBeNull();
  await clickInFrame(app, "dialog[open] [aria-label=Close]");
  await inFrameUntil(app, "document.querySelector('dialog') === null");
  const question = await app.popup(() => clickInFrame(app, isArmed));
  await question.waitFor("document.querySelector('.approval pre')?.textContent.includes('framed')");
  expect(await question.evaluate("[location.origin, window.top === window]")).toEqual([world.hub.url, true]);
  expect(await question.evaluate("document.body.textContent")).toContain(world.app.origin);
  expect(await countsOf(app, "framed")).toEqual({ ran: 0, aborted: 0 });
  await decide(question, "Allow once");
  await app.waitFor("localStorage.getItem('ran:framed') === '1'");
});

test("another app that has the window in the same tab finds nothing in it of what was said beside the one before", async () => {
  const app = await world.openApp("/framed");
  const isSaid = (tag: string) => `document.querySelector(".turns")?.textContent.includes('"${tag}"')`;
  await askInFrame(app, 'call echo {"tag":"canary"}');
  await inFrameUntil(app, isSaid("canary"));
  await app.reload();
  await inFrameUntil(app, isSaid("canary"));
  await app.navigate(other.url("/framed"));
  await askInFrame(app, 'call echo {"tag":"another"}');
  await inFrameUntil(app, isSaid("another"));
  expect(await inFrame(app, isSaid("canary"))).toBe(false);
});
