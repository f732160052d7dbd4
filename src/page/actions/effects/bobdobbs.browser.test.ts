import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { run } from "../actions.test-helper.ts";
import { bobdobbs } from "./bobdobbs.ts";
import { directEffects, onStage, stages, wantStillness } from "./effects.test-helper.ts";
import { chooseQuote, quotes } from "./quotes.ts";

directEffects();

const blessed = '"Bob" has blessed this workspace.';

test("he appears with a saying, which is the answer's too, and a click sends him away", async () => {
  const answer = (await run(bobdobbs())) as { readonly structuredContent: { readonly quote: string } };
  const { quote } = answer.structuredContent;
  expect(answer).toEqual({ content: [{ type: "text", text: blessed }], structuredContent: { quote } });
  expect(quotes).toContain(quote);
  expect(onStage("blockquote").textContent).toBe(quote);
  expect(onStage<SVGSVGElement>("svg").getAttribute("aria-label")).toContain("Bob");
  await userEvent.click(document.body, { force: true });
  expect(stages()).toEqual([]);
});

test("he says what he blesses, as text, and there is one of him", async () => {
  await run(bobdobbs());
  await run(bobdobbs(), { reason: "<i>the build</i>" });
  expect(stages()).toHaveLength(1);
  expect(onStage("p").textContent).toBe("“Bob” blesses <i>the build</i>.");
});

test("the keyboard stays where it was; Escape sends him away", async () => {
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

test("he leaves by himself after twenty seconds in which somebody could see him", async () => {
  vi.useFakeTimers();
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  await run(bobdobbs());
  vi.advanceTimersByTime(60_000);
  expect(stages()).toHaveLength(1);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event("visibilitychange"));
  vi.advanceTimersByTime(19_999);
  expect(stages()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(stages()).toEqual([]);
  vi.useRealTimers();
});

test("where less motion is asked for he says that he stands still", async () => {
  wantStillness();
  const { content } = (await run(bobdobbs())) as { readonly content: readonly { readonly text: string }[] };
  expect(content[0]?.text).toBe(`${blessed} It stands still: this browser asks for less motion.`);
});

test("every saying is said some time", () => {
  const said = quotes.map((_quote, index) => chooseQuote(() => index / quotes.length));
  expect(new Set(said)).toEqual(new Set(quotes));
  expect(chooseQuote(() => 0.999_999)).toBe(quotes.at(-1));
});
