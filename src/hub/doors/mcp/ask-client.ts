import type { ServerContext } from "@modelcontextprotocol/server";
import { messageOf, parseJsonObject } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import type { Question } from "./follow.ts";
import type { RunningCall } from "./running-call.ts";

export interface AskOptions {
  readonly context: ServerContext;
  readonly limits: Limits;
  /** Aborts when the call has ended: the client is told then that nobody wants its answer. */
  readonly signal: AbortSignal;
}

/** Puts a page's question to the client of a session, and gives the page the answer. */
export async function askClient(
  { ask, method, parameters }: Question,
  call: RunningCall,
  { context, limits, signal }: AskOptions,
): Promise<void> {
  try {
    const params = { ...parseJsonObject(parameters, limits.jsonDepth) };
    const answer = await context.mcpReq.send({ method, params }, { timeout: limits.callTimeMost, signal });
    call.answer(ask, { payload: JSON.stringify(answer) });
  } catch (error) {
    call.answer(ask, { code: "ask-failed", message: `The client did not answer: ${messageOf(error)}` });
  }
}
