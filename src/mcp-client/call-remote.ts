// One call to a server, from its arguments to its outcome. Never throws and never rejects.
import type { CallEnvironment, CallOutcome } from "../toolbox/index.ts";
import { PagewireError, askMethods, isJsonObject, messageOf } from "../wire/index.ts";
import type { AskMethod, JsonObject, ObjectSchema } from "../wire/index.ts";
import { isExpired, readFailure } from "./failures.ts";
import type { Connection } from "./connection.ts";
import type { Reply, Session } from "./session.ts";

export interface RemoteCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly inputSchema?: ObjectSchema;
}

export interface CallNeeds {
  /** The server's address in a form that is safe to show. */
  readonly server: string;
  readonly connection: Connection;
}

/** The max number of questions by the server in one call. */
const roundsMost = 8;

/** The state of a running call. */
interface Way {
  isSent: boolean;
}

export async function callRemote(
  call: RemoteCall,
  environment: CallEnvironment,
  needs: CallNeeds,
): Promise<CallOutcome> {
  const { signal, deadline } = environment;
  const left = deadline - Date.now();
  if (signal.aborted) return { kind: "aborted" };
  if (left <= 0) return { kind: "refused", code: "deadline-exceeded", message: "The call came too late to be made." };
  const way: Way = { isSent: false };
  let forget = () => {};
  // Connecting and answering questions may take longer than the call's deadline.
  const givenUp = new Promise<CallOutcome>((resolve) => {
    const abort = () => resolve({ kind: "aborted" });
    const timer = setTimeout(() => resolve(late(way, needs)), Math.min(left, longestTimer));
    signal.addEventListener("abort", abort);
    forget = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
  });
  const outcome = await Promise.race([inRounds(call, environment, { ...needs, way }), givenUp]);
  forget();
  return outcome;
}

function late({ isSent }: Way, { server }: CallNeeds): CallOutcome {
  return isSent
    ? { kind: "failed", code: "deadline-exceeded", message: `The MCP server at ${server} did not answer in time.` }
    : { kind: "refused", code: "not-delivered", message: `The MCP server at ${server} was not reached in time.` };
}

async function inRounds(
  call: RemoteCall,
  environment: CallEnvironment,
  needs: CallNeeds & { readonly way: Way },
): Promise<CallOutcome> {
  const { signal, input, rounds } = environment;
  let answers: JsonObject = input
    ? { inputResponses: input.responses, ...(input.state === undefined ? {} : { requestState: input.state }) }
    : {};
  for (let round = 1; ; round++) {
    let reply: Reply;
    try {
      reply = await send({ ...call, params: { ...call.params, ...answers } }, environment, needs);
    } catch (error) {
      return signal.aborted ? { kind: "aborted" } : readFailure(error, needs.server);
    }
    if ("text" in reply) return resultOf(reply.text);
    const { inputRequired } = reply;
    if (rounds) return { kind: "result", payload: JSON.stringify(inputRequired), isError: false, inputRequired: true };
    if (round === roundsMost) return askFailed(`it still asks for input after ${roundsMost} rounds`, needs);
    try {
      answers = await answerAll(inputRequired, environment);
    } catch (error) {
      return askFailed(messageOf(error), needs);
    }
  }
}

/** A server that has forgotten the session ran nothing, so the call is sent again in a new one. */
async function send(
  { method, params, inputSchema }: RemoteCall,
  environment: CallEnvironment,
  { connection, way }: CallNeeds & { readonly way: Way },
): Promise<Reply> {
  const { signal, deadline } = environment;
  const sendIn = (session: Session): Promise<Reply> => {
    throwIfOver(environment);
    way.isSent = true;
    return session.request(method, params, {
      signal,
      timeout: Math.min(deadline - Date.now(), longestTimer),
      onProgress: (...given) => environment.progress(...given),
      ...(inputSchema ? { inputSchema } : {}),
    });
  };
  const session = await connection.session();
  try {
    return await sendIn(session);
  } catch (error) {
    if (signal.aborted || !isExpired(error)) throw error;
    way.isSent = false;
    const next = await connection.session();
    if (next === session) throw error;
    return sendIn(next);
  }
}

const longestTimer = 2 ** 31 - 1;

/** The caller already has its outcome: nothing more is asked or sent. */
function throwIfOver({ signal, deadline }: CallEnvironment): void {
  signal.throwIfAborted();
  if (deadline <= Date.now()) throw new PagewireError("deadline-exceeded", "The call's time was up.");
}

/** The server's result; a tool's result may report an error. */
function resultOf(payload: string): CallOutcome {
  const result: unknown = JSON.parse(payload);
  return { kind: "result", payload, isError: isJsonObject(result) && result["isError"] === true };
}

/** Asks one question after the other. */
async function answerAll(
  { inputRequests, requestState }: JsonObject,
  environment: CallEnvironment,
): Promise<JsonObject> {
  const inputResponses: Record<string, JsonObject> = {};
  for (const [key, request] of Object.entries(isJsonObject(inputRequests) ? inputRequests : {})) {
    const { method, params } = isJsonObject(request) ? request : {};
    const asked = askMethods.find((known) => known === method);
    if (!asked) throw new Error(`there is no question ${JSON.stringify(method)}`);
    throwIfOver(environment);
    inputResponses[key] = await answer(asked, isJsonObject(params) ? params : {}, environment);
  }
  return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
}

/** Asks the caller. Unanswered questions are declined, where MCP can express that. */
export async function answer(
  method: AskMethod,
  parameters: JsonObject,
  environment: Pick<CallEnvironment, "ask">,
): Promise<JsonObject> {
  try {
    return await environment.ask(method, parameters);
  } catch (error) {
    if (method === "elicitation/create") return { action: "decline" };
    throw error;
  }
}

function askFailed(why: string, { server }: CallNeeds): CallOutcome {
  return { kind: "failed", code: "ask-failed", message: `The MCP server at ${server} was not answered: ${why}.` };
}
