// One tool call: approval, arguments, timeout, and its result for the model.
import { systemClock } from "../link/index.ts";
import { loadJsonSchemaValidator, unlessAborted } from "../toolbox/index.ts";
import { isJsonObject, messageOf } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";
import { isApproved } from "./approval.ts";
import { failureText } from "./tool-message.ts";
import type { Run } from "./run.ts";
import type { AiTool, AiToolCall, AiToolCallState, AiToolHandler } from "./types.ts";

const defaultTimeout = 60_000;

export interface CallNeeds {
  readonly run: Run;
  /** The tools that were declared. */
  readonly tools: readonly AiTool[];
  show(): void;
}

/** Fills in the call's result. Never rejects. */
export async function callTool(call: AiToolCallState, needs: CallNeeds): Promise<void> {
  const { signal, state } = needs.run;
  if (signal.aborted) return;
  const toolCall: AiToolCall = { id: call.id, name: call.name, arguments: call.arguments };
  state.dispatch("ai-agent:tool-call-requested", { toolCall });
  let outcome: { readonly result: unknown } | { readonly error: string };
  try {
    const result = await unlessAborted(resultOf(call, needs), signal);
    signal.throwIfAborted();
    call.result = textOf(result);
    call.status = "done";
    outcome = { result };
  } catch (thrown) {
    if (signal.aborted) return;
    const error = messageOf(thrown);
    call.result = failureText(error);
    if (call.status !== "refused") call.status = "failed";
    outcome = { error };
  }
  needs.show();
  state.dispatch("ai-agent:tool-call-completed", { toolCall, ...outcome });
}

async function resultOf(call: AiToolCallState, { run, tools, show }: CallNeeds): Promise<unknown> {
  const { name } = call;
  const tool = tools.find((declared) => declared.name === name);
  if (!tool) throw new Error(`The tool "${name}" is not defined on this send() invocation.`);
  if (tool.origin !== undefined) call.origin = tool.origin;
  const handler = tool.handler ?? run.desk.handlerOf(name);
  if (!handler)
    throw new Error(`The tool "${name}" has no handler: declare it with one, or give it one by registerTool.`);
  const args = await argumentsOf(call, tool);
  const refuse = (why: unknown) => {
    // One that was stopped has its status already.
    if (!run.signal.aborted) call.status = "refused";
    throw why;
  };
  if (!(await isApproved({ call, tool, args, run, show }).catch(refuse)))
    refuse(new Error(`The user did not allow the tool "${name}" to run.`));
  run.signal.throwIfAborted();
  call.status = "running";
  show();
  // A listener may have stopped it.
  run.signal.throwIfAborted();
  const time = tool.timeout ?? run.options.toolTimeout ?? defaultTimeout;
  return await runHandler((context) => handler(args, { callId: call.id, name, ...context }), {
    name,
    time,
    signal: run.signal,
  });
}

async function argumentsOf({ name, arguments: json }: AiToolCall, tool: AiTool): Promise<JsonObject> {
  if (!json.trim()) throw new Error(`The model was cut off before it gave the arguments of the tool "${name}".`);
  let args: unknown;
  try {
    args = JSON.parse(json);
  } catch (thrown) {
    throw new Error(`The arguments of the tool "${name}" are not JSON: ${messageOf(thrown)}`, { cause: thrown });
  }
  if (!isJsonObject(args)) throw new Error(`The arguments of the tool "${name}" are not a JSON object.`);
  if (tool.validatesArguments) return args;
  const validate = await loadJsonSchemaValidator();
  const problems = validate(tool.parameters, args).map(({ path, message }) => `${path} ${message}`);
  if (problems.length === 0) return args;
  throw new Error(`The arguments of the tool "${name}" do not match its parameters: ${problems.join("; ")}.`);
}

interface Running {
  readonly name: string;
  readonly time: number;
  readonly signal: AbortSignal;
}

/** Runs a handler until it is done, out of time or stopped; one that does not listen to its signal is waited for no longer. */
async function runHandler(
  handle: (context: { readonly signal: AbortSignal }) => ReturnType<AiToolHandler>,
  { name, time, signal }: Running,
): Promise<unknown> {
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener("abort", stop);
  const giveUp = () => controller.abort(new Error(`The tool "${name}" took more than ${time} ms.`));
  const cancel = time > 0 ? systemClock.after(time, giveUp) : undefined;
  try {
    return await new Promise((resolve, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error));
      Promise.resolve()
        .then(() => handle({ signal: controller.signal }))
        .then(resolve, reject);
    });
  } finally {
    cancel?.();
    signal.removeEventListener("abort", stop);
  }
}

/** The part of a result that the model receives. */
function textOf(result: unknown): string {
  if (typeof result === "string") return result;
  const json = JSON.stringify(result ?? null) as string | undefined;
  if (json === undefined) throw new Error(`The tool's result cannot be written as JSON: it is a ${typeof result}.`);
  return json;
}
