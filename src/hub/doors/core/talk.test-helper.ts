// Conversations with an agent's window and other tabs, and a user who decides about each waiting call.
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
export const readOnly = { annotations: { readOnlyHint: true } };

/** A hub with a scripted model that also allows the bank and the mail service. */
export async function startTalking(
  { fetch }: TestModel,
  { ai = {}, ...options }: Omit<Partial<HubOptions>, "ai"> & { readonly ai?: Partial<AiOptions> } = {},
): Promise<TestHub> {
  const hub = await startHub({ ai: { provider: "openai", model: "m", apiKey: "sk-server", fetch, ...ai }, ...options });
  for (const origin of [bank, mail]) hub.allow(origin);
  return hub;
}

/** A program's conversation with a window that the shop's page opened; every call succeeds, except those of "fail". */
export async function talk(hub: TestHub, offer: object = {}): Promise<{ client: CoreClient; window: TestWindow }> {
  const client = await startCore(hub.url, { token: hub.token });
  const session = await offerTools(hub, { tools: [readingTool("work")], session_id: client.session, ...offer });
  const onCall = (call: CameCall) =>
    call.tool_name === "fail" ? window.fail(call, "It broke.") : window.answer(call, `${call.tool_name} ran`);
  const window = await openWindow(hub, session, { onCall });
  return { client, window };
}

export async function waiting(client: CoreClient): Promise<AiToolCallState> {
  const find = () => (client.values["toolCalls"] as AiToolCallState[]).find(({ status }) => status === "waiting");
  await client.until(() => find() !== undefined);
  return find() as AiToolCallState;
}

interface Asking {
  readonly prompt?: string;
  readonly [option: string]: unknown;
}

/** Decides about a waiting call. */
type Decide = (call: AiToolCallState) => AiToolDecision;

/** Asks, and decides every waiting call; returns the answer and the calls that needed a question. */
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
