import { render } from "preact";
import { expect, onTestFinished, test } from "vitest";
import { useAnswer } from "./use-answer.ts";
import type { HubAnswer } from "./use-answer.ts";

test("an answer that comes after a newer one, or after what a change took over, is not shown", async () => {
  const asked: ((value: string) => void)[] = [];
  const session = { request: () => new Promise((resolve) => asked.push(resolve)) };
  const root = document.createElement("div");
  onTestFinished(() => render(null, root));
  let answer: HubAnswer<string> | undefined;
  const View = () => <p>{(answer = useAnswer<string>(session, "/api/thing")).value}</p>;
  render(<View />, root);
  await expect.poll(() => asked.length).toBe(1);
  answer?.read();
  asked[1]?.("second");
  await expect.poll(() => root.textContent).toBe("second");
  answer?.read();
  answer?.take("taken");
  asked[0]?.("first");
  asked[2]?.("third");
  await expect.poll(() => root.textContent).toBe("taken");
  answer?.read();
  asked[3]?.("fourth");
  await expect.poll(() => root.textContent).toBe("fourth");
});
