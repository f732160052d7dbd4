import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { run } from "../actions.test-helper.ts";
import { bobdobbs, boing, celebrate } from "./effects.ts";

const { attachShadow } = Element.prototype;
const stages = () => [...document.querySelectorAll("pagewire-effect")];
const inStage = (selector: string) => stages()[0]?.shadowRoot?.querySelector(selector) ?? undefined;
const animations = () => stages()[0]?.shadowRoot?.getAnimations() ?? [];
const blessed = '"Bob" has blessed this workspace.';
const isStill = " It stands still: this browser asks for less motion.";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(Element.prototype, "attachShadow").mockImplementation(function (this: Element, init) {
    return attachShadow.call(this, { ...init, mode: "open" });
  });
});

afterEach(() => {
  vi.runOnlyPendingTimers();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const host of stages()) host.remove();
});

async function textFrom(action: ReturnType<typeof celebrate>): Promise<unknown> {
  const answer = await run(action);
  return typeof answer === "string" ? answer : (answer as { content: { text: string }[] }).content[0]?.text;
}

test("confetti flies above the page, which can be used beneath it, and is gone after some seconds", async () => {
  expect(await run(celebrate())).toBe("Celebration triggered!");
  expect(animations().length).toBeGreaterThan(100);
  expect(document.elementFromPoint(innerWidth / 2, innerHeight / 2)).not.toBe(stages()[0]);
  vi.advanceTimersByTime(4000);
  expect(stages()).toEqual([]);
});

test("the reason is shown as text, and a second celebration replaces the first", async () => {
  await run(celebrate(), { reason: "All <b>tests</b> pass" });
  expect(inStage("[role=status]")?.textContent).toBe("All <b>tests</b> pass");
  await run(celebrate(), { reason: 5 });
  expect(stages()).toHaveLength(1);
  expect(inStage("[role=status]")).toBeUndefined();
});

test("a ball bounces over the page, which can be used beneath it, and a second ball replaces the first", async () => {
  expect(await run(boing())).toBe("Boing!");
  await run(boing());
  expect(stages()).toHaveLength(1);
  expect(animations()).toHaveLength(3);
  expect(document.elementFromPoint(innerWidth / 2, innerHeight / 2)).not.toBe(stages()[0]);
  vi.advanceTimersByTime(9000);
  expect(stages()).toEqual([]);
});

test("“Bob” shows a quote that the result holds too, and a click closes it", async () => {
  const answer = (await run(bobdobbs())) as { readonly structuredContent: { readonly quote: string } };
  const { quote } = answer.structuredContent;
  expect(answer).toEqual({ content: [{ type: "text", text: blessed }], structuredContent: { quote } });
  expect(inStage("blockquote")?.textContent).toBe(`“${quote}”`);
  expect(inStage("svg")?.getAttribute("aria-label")).toContain("Bob");
  await userEvent.click(document.body, { force: true });
  expect(stages()).toEqual([]);
});

test("“Bob” shows the reason as text, and only once", async () => {
  await run(bobdobbs());
  await run(bobdobbs(), { reason: "<i>the build</i>" });
  expect(stages()).toHaveLength(1);
  expect(inStage("p")?.textContent).toBe("“Bob” blesses <i>the build</i>.");
});

test("the keyboard stays where it was; Escape closes “Bob”", async () => {
  const input = document.createElement("input");
  document.body.append(input);
  input.focus();
  await run(bobdobbs());
  await userEvent.keyboard("ls");
  expect([input.value, stages().length]).toEqual(["ls", 1]);
  await userEvent.keyboard("{Escape}");
  expect(stages()).toEqual([]);
  input.remove();
});

test("in a hidden tab an effect waits, and its twenty seconds count once the tab is visible", async () => {
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  expect(await textFrom(bobdobbs())).toBe(`${blessed} It shows once somebody looks at this tab.`);
  vi.advanceTimersByTime(60_000);
  expect(animations().map(({ playState }) => playState)).toEqual(["paused"]);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(animations().map(({ playState }) => playState)).toEqual(["running"]);
  vi.advanceTimersByTime(19_999);
  expect(stages()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(stages()).toEqual([]);
});

test.each([
  { action: celebrate(), text: "Celebration triggered!" },
  { action: boing(), text: "Boing!" },
  { action: bobdobbs(), text: blessed },
])("where less motion is asked for, $action.name stands still, and its result says so", async ({ action, text }) => {
  vi.stubGlobal("matchMedia", (query: string) => ({ matches: query === "(prefers-reduced-motion: reduce)" }));
  expect(await textFrom(action)).toBe(text + isStill);
  expect(animations()).toEqual([]);
  vi.advanceTimersByTime(20_000);
  expect(stages()).toEqual([]);
});
