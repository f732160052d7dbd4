// Agents' windows over several hubs: a window and its conversation are at one, and may come to any.
import { expect, test } from "vitest";
import { callOnce, playModel } from "../doors/core/model.test-helper.ts";
import type { ModelTurn } from "../doors/core/model.test-helper.ts";
import { offerTools, postTools, readingTool } from "../doors/window/window.test-helper.ts";
import type { CameCall } from "../doors/window/window.test-helper.ts";
import { closeNameOf } from "../../wire/index.ts";
import { homeOf } from "../store/index.ts";
import { openSocket } from "../test-support/peer.test-helper.ts";
import { startTalkingHubs, talkAt } from "./conversations.test-helper.ts";

interface Hub {
  readonly url: string;
  readonly token: string;
}

/** Opens the socket of a session, as a program does, and answers all its calls. */
async function openWindow(hub: Hub, session: string) {
  const { link } = await openSocket(`${hub.url}/ws/parent-window/${session}`, {
    headers: { Authorization: `Bearer ${hub.token}` },
  });
  const calls: CameCall[] = [];
  const closed = new Promise<string | undefined>((resolve) => {
    link.start({
      message(text) {
        const call = JSON.parse(String(text)) as CameCall;
        calls.push(call);
        const response = { success: true, result: `${call.tool_name} ran` };
        link.send(JSON.stringify({ type: "tool_response", request_id: call.request_id, response }));
      },
      closed: ({ code }) => resolve(closeNameOf(code)),
    });
  });
  return { calls, closed };
}

test.each(["the window", "the conversation"])(
  "MH77: a window and its conversation are at one hub, which %s chose that came first",
  async (first) => {
    const model = playModel(({ body }): ModelTurn => {
      const last = body.messages.at(-1);
      if (last?.role === "tool") return { text: `result: ${String(last.content)}` };
      return last?.content === "Look." ? { calls: [{ name: "parent-window_look" }] } : { text: "Hi." };
    });
    const { a, b, c, store } = await startTalkingHubs(model, { limits: { conversationTime: 1 } });
    const begun = await talkAt(a);
    await begun.run("send", "Hi.", {});
    const { session } = begun;
    if (first === "the window") await begun.close();
    await expect
      .poll(async () => (await store.homes.find(homeOf({ principal: "local", id: session }))) === undefined)
      .toBe(first === "the window");
    expect(await offerTools(b, { tools: [readingTool("look")], session_id: session })).toBe(session);
    const window = await openWindow(c, session);
    const client = await talkAt(a, { session });
    expect(await client.run("send", "Look.", { tools: "page" })).toBe("result: look ran");
    expect(window.calls).toMatchObject([{ tool_name: "look" }]);
  },
);

test("MH77: a window without a session is sent back for it at any hub, and a malformed offer is refused by that which reads it", async () => {
  const { a, b } = await startTalkingHubs(callOnce("parent-window_look"));
  const session = await offerTools(a, { tools: [readingTool("look")] });
  expect(await (await openWindow(b, "0".repeat(32))).closed).toBe("session-not-found");
  expect(await postTools(b, { session_id: session, tools: "none" })).toMatchObject({ status: 400 });
});
