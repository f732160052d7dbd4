// The rounds of a call in revision 2026-07-28, by hand: the client's answers, and the page's behaviour.
import type { HubDoor } from "../../../test-support/http.test-helper.ts";
import type { PageCall } from "./mcp-page.test-helper.ts";
import { modern, sendRaw } from "./raw-mcp.test-helper.ts";
import type { ModernOptions, RawExchange, RpcMessage } from "./raw-mcp.test-helper.ts";

/** The capabilities for questions of the client in these rounds. */
export const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
export const work = { name: "work", arguments: { a: 1 } };
/** A question to the user. */
export const form = (message: string) => ({
  mode: "form",
  message,
  requestedSchema: { type: "object", properties: {} },
});
/** The same question as one of several in a result. */
export const ask = (message: string) => ({ method: "elicitation/create", params: form(message) });
/** A user's answer. */
export const accept = (name: string) => ({ action: "accept", content: { name } });

export interface RoundOptions extends ModernOptions {
  /** The client's answers to the questions of the previous round. */
  readonly responses?: object;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Sends one round of a call; `from` is the answer to the previous round. */
export function beginRound(hub: HubDoor, from?: RpcMessage, options: RoundOptions = {}): RawExchange {
  const { responses: inputResponses, params = work, ...more } = options;
  const requestState = from?.result?.["requestState"];
  const round = {
    ...params,
    ...(requestState === undefined ? {} : { requestState }),
    ...(inputResponses === undefined ? {} : { inputResponses }),
  };
  return sendRaw(hub, modern("tools/call", round, { capabilities, ...more }));
}

/** Sends one round, and resolves with its response. */
export async function round(
  ...given: Parameters<typeof beginRound>
): Promise<RpcMessage & { readonly status: number }> {
  const { status, messages } = await beginRound(...given).whole();
  return { status, ...messages.at(-1) };
}

/** Makes a page that ends a call with questions, and reports its input when the call comes again. */
export const asking = (request: object) => (call: PageCall) => {
  if (call.hasInput) call.result({ content: [{ type: "text", text: JSON.stringify(call.payload) }] });
  else call.result({ resultType: "input_required", ...request }, { inputRequired: true });
};

/** The report of such a page. */
export function saidIn({ result }: RpcMessage): unknown {
  const [block] = (result?.["content"] ?? []) as { text: string }[];
  return block && (JSON.parse(block.text) as unknown);
}

export const staleState = { code: -32602, message: "Invalid or expired requestState" };

/** A page that waits for the answer within the same call, and then reports it. */
export const waiting = async (call: PageCall) => {
  const answer = await call.ask("elicitation/create", form("Who?"), "who");
  call.result({ content: [{ type: "text", text: JSON.stringify(answer) }] });
};

/** Lets the hub process pending work, a few times over. */
export async function letPass(hub: HubDoor): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await sendRaw(hub, modern("tools/list", {})).whole();
}
