import { act, createElement } from "react";
import { createRoot } from "react-dom/client";
import { expect, onTestFinished, test } from "vitest";
import { userEvent } from "vitest/browser";
import type { AiChat as Element } from "./ai-chat/ai-chat.ts";
import { AiChat } from "./react.ts";
import type { AiChatProps } from "./react.ts";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

async function show(): Promise<(props: AiChatProps) => Promise<void>> {
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  onTestFinished(async () => {
    await act(async () => root.unmount());
    place.remove();
  });
  return (props) => act(async () => root.render(createElement(AiChat, props)));
}

test("the component sets the element's properties, takes away those that are gone, and reports what is said", async () => {
  const render = await show();
  const chat: { current: Element | null } = { current: null };
  const chunk = { choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: "stop" }] };
  const answer = async () =>
    new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  const said: string[][] = [];
  const onMessages: AiChatProps["onMessages"] = (messages) => said.push(messages.map(({ role }) => role));
  const base = { chat, provider: "openai", model: "m", baseUrl: "http://model.test", fetch: answer, onMessages };
  await render({ ...base, className: "help", starters: ["One"], placeholder: "Ask the shop" });
  const { current } = chat;
  expect([current?.className, current?.agent.model, current?.starters]).toEqual(["help", "m", ["One"]]);
  await render(base);
  expect([current?.className, current?.placeholder, current?.starters]).toEqual(["", "", undefined]);
  current?.focus();
  await userEvent.keyboard("Hi{Enter}");
  await expect.poll(() => said.at(-1)).toEqual(["user", "assistant"]);
});
