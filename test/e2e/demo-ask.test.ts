import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { demoOrigin, startDemo } from "./demo.test-helper.ts";
import type { Demo } from "./demo.test-helper.ts";
import { openChromium } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";

let demo: Demo;

beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo?.close());
beforeEach(async () => {
  await demo.open();
  await demo.tab.waitFor("document.querySelector('#ask').hidden === false");
});
afterEach(() => demo.leave());

async function ask(question: string): Promise<void> {
  await demo.tab.type("#ask-field", question);
  await demo.tab.press("Enter");
}

const isAnswered = () => demo.tab.waitFor("document.querySelector('#ask-clear').hidden === false");
const turns = (kind: string): Promise<string[]> =>
  demo.tab.evaluate(
    (css) => [...document.querySelectorAll(css)].map((turn) => turn.textContent ?? ""),
    `.turn.${kind}`,
  );

describe("the hub's model on the dashboard", () => {
  test("the hub's model answers a question with the page's own tools, and its calls show as any agent's do", async () => {
    await ask("What were sales in the last 30 days?");
    await isAnswered();
    expect(await turns("asked")).toEqual(["What were sales in the last 30 days?"]);
    expect(await turns("used")).toEqual(["Used get_sales_data"]);
    const revenue = (await demo.figureOf("revenue")).replace("$", "");
    expect((await turns("answered")).at(-1)).toContain(revenue);
    expect(await demo.textOf("#activity .called")).toContain("ai-agent");
  });

  test("a tool that changes the page waits for the user's approval", async () => {
    const periodOf = () => demo.textOf("#period [aria-pressed=true]");
    const allow = ".turn.waiting button";
    await ask("Set the period to 7 days");
    await demo.tab.waitFor(`document.querySelector('${allow}') !== null`);
    expect(await turns("waiting")).toEqual([expect.stringContaining('with {"days":7}?')]);
    expect(await periodOf()).toBe("30 days");
    await demo.tab.click(allow);
    await isAnswered();
    expect(await periodOf()).toBe("7 days");
    await ask("Set the period to 90 days");
    await demo.tab.waitFor(`document.querySelector('${allow}') !== null`);
    await demo.tab.click(`${allow}:last-child`);
    await isAnswered();
    expect(await periodOf()).toBe("7 days");
  });

  test("the conversation is there after a reload, until the user starts over", async () => {
    await ask("Who are you?");
    await isAnswered();
    const said = await turns("answered");
    await demo.tab.reload();
    await isAnswered();
    expect(await turns("answered")).toEqual(said);
    await demo.tab.click("#ask-clear");
    await demo.tab.waitFor("document.querySelectorAll('.turn').length === 0");
    await demo.tab.reload();
    await demo.tab.waitFor("document.querySelector('#ask').hidden === false");
    expect(await turns("answered")).toEqual([]);
  });

  test("a hub without a model has no box to ask it, and the browser's console stays empty", async () => {
    const hub = await startHub({ args: ["--no-model"] });
    const browser = await openChromium();
    try {
      const tab = await browser.open(await demoOrigin(hub));
      await tab.waitFor("document.querySelector('ai-agent').error !== null");
      expect(await tab.evaluate(() => document.querySelector<HTMLElement>("#ask")?.hidden)).toBe(true);
      expect([tab.console.messages, tab.console.errors]).toEqual([[], []]);
      expect(hub.output().match(/page-refused/g)).toHaveLength(1);
    } finally {
      await Promise.all([hub.close(), browser.close()]);
    }
  });
});
