// Conversations with an agent's window and other tabs, and a user who decides about each call that waits.
import type { AiToolCallState, AiToolDecision } from "../../../ai/index.ts";
import type { AiOptions } from "../../options/ai-options.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import type { HubOptions } from "../../options/options.ts";
import { offerTools, openWindow, readingTool } from "../window/window.test-helper.ts";
import type { CameCall, TestWindow } from "../window/window.test-helper.ts";
import { startCore } from "./core.test-helper.ts";
import type { CoreClient } from "./core.test-helper.ts";
import type { TestModel } from "./model.test-helper.ts";

export const bank = "https://bank.example";
export const mail = "https://mail.example";
/** What a page says of a tool that only reads. */
export const readOnly = { annotations: { readOnlyHint: true } };

/** A hub with a model that is played, where the bank and the mail service are allowed, too. */
export async function startTalking(
  { fetch }: TestModel,
  { ai = {}, ...options }: Omit<Partial<HubOptions>, "ai"> & { readonly ai?: Partial<AiOptions> } = {},
): Promise<TestHub> {
  const hub = await startHub({ ai: { provider: "openai", model: "m", apiKey: "sk-server", fetch, ...ai }, ...options });
  for (const origin of [bank, mail]) hub.allow(origin);
  return hub;
}

/** A conversation of a program's with a window whose parent is the shop's page; every call but those of "fail" is done. */
export async function talk(hub: TestHub, offer: object = {}): Promise<{ client: CoreClient; window: TestWindow }> {
  const client = await startCore(hub.url, { token: hub.token });
  const session = await offerTools(hub, { tools: [readingTool("work")], session_id: client.session, ...offer });
  const onCall = (call: CameCall) =>
    call.tool_name === "fail" ? window.fail(call, "It broke.") : window.answer(call, `${call.tool_name} ran`);
  const window = await openWindow(hub, session, { onCall });
  return { client, window };
}

/** The call that waits for its user, once there is one. */
export async function waiting(client: CoreClient): Promise<AiToolCallState> {
  const find = () => (client.values["toolCalls"] as AiToolCallState[]).find(({ status }) => status === "waiting");
  await client.until(() => find() !== undefined);
  return find() as AiToolCallState;
}

interface Asking {
  readonly prompt?: string;
  readonly [option: string]: unknown;
}

/** Decides about a call that waits. */
type Decide = (call: AiToolCallState) => AiToolDecision;

/** Asks, and decides whatever waits; gives the answer and the calls that somebody was asked about. */
export async function settle(
  client: CoreClient,
  { prompt = "x", ...options }: Asking,
  decision: AiToolDecision | Decide,
) {
  const asked = new Map<string, AiToolCallState>();
  let isDone = false;
  const answer = client.run("send", prompt, { tools: "page", ...options }).finally(() => (isDone = true));
  void client.until(({ toolCalls }) => {
    for (const call of isDone ? [] : (toolCalls as AiToolCallState[])) {
      if (call.status !== "waiting" || asked.has(call.id)) continue;
      asked.set(call.id, call);
      const decided = typeof decision === "function" ? decision(call) : decision;
      void client.run("settleToolCall", call.id, decided);
    }
    return isDone;
  });
  return { answer: await answer, asked: [...asked.values()] };
}
