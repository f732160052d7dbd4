import type { ServerContext } from "@modelcontextprotocol/server";
import { messageOf, parseJsonObject } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import type { Question } from "./follow.ts";
import type { RunningCall } from "./running-call.ts";

/** Puts a page's question to the client of a session, and gives the page the answer. */
export async function askClient(
  { ask, method, parameters }: Question,
  call: RunningCall,
  { context, limits }: { readonly context: ServerContext; readonly limits: Limits },
): Promise<void> {
  try {
    const params = { ...parseJsonObject(parameters, limits.jsonDepth) };
    const answer = await context.mcpReq.send({ method, params }, { timeout: limits.callTimeMost });
    call.answer(ask, { payload: JSON.stringify(answer) });
  } catch (error) {
    call.answer(ask, { code: "ask-failed", message: `The client did not answer: ${messageOf(error)}` });
  }
}
