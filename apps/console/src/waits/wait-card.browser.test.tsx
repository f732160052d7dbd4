import { signal } from "@preact/signals";
import { render } from "preact";
import { afterEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import type { Answer, Inbox, Wait } from "./inbox.ts";
import { WaitCard } from "./wait-card.tsx";

afterEach(() => render(null, document.body));

const question: Wait = {
  ...{ id: "w1", kind: "question", since: "2026-01-01T00:00:00Z", reason: "It asks.", tool: "pay", message: "Go on?" },
  schema: { type: "object", properties: {} },
};

test("a question without fields is answered with yes or no, and once by two fast clicks", async () => {
  const inbox = { mayAnswer: signal(true) } as unknown as Inbox;
  const answer = vi.fn<(answer: Answer) => Promise<boolean>>(async () => true);
  render(<WaitCard wait={question} inbox={inbox} answer={answer} />, document.body);
  const buttons = () => [...document.querySelectorAll("button")];
  expect(buttons().map(({ textContent }) => textContent)).toEqual(["No", "Yes"]);
  const [, yes] = buttons();
  await expect.poll(() => yes?.disabled).toBe(false);
  await userEvent.dblClick(yes as HTMLElement);
  await expect.poll(() => answer.mock.calls).toEqual([[{ answer: "allow", content: {} }]]);
});
