// Requests of revision 2026-07-28: each stands alone and says for itself what its client is.
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { McpHttpHandler, ServerEvent } from "@modelcontextprotocol/server";
import type { AgentSession } from "../../../switchboard/index.ts";
import { isJsonObject } from "../../../wire/index.ts";
import type { Json, JsonObject } from "../../../wire/index.ts";
import type { Admitted } from "../../guard/admitted.ts";
import { onEnd } from "../../http/on-end.ts";
import { createRoster } from "../../roster.ts";
import { createCallers } from "../callers.ts";
import type { AgentName } from "../callers.ts";
import { createServer } from "./create-server.ts";
import { answerFast } from "./fast-lane.ts";
import { instructionsFor } from "./instructions.ts";
import type { Exchange, Lane, LaneOptions } from "./lane.ts";
import { noteFailures } from "./note-failures.ts";
import { checkParamHeaders, hasParamHeaders } from "./param-headers.ts";
import { clientOf, statelessCall } from "./plain-call.ts";
import { refusals, respondRpcError } from "./rpc-error.ts";
import type { Refusal } from "./rpc-error.ts";
import { startCall } from "./running-call.ts";
import type { RunningCall } from "./running-call.ts";
import { aimIn, isInScope } from "./scope.ts";
import { authInfoOf, handOver } from "./serve-call.ts";
import { spliceStateless } from "./splice.ts";
import { watchOffer } from "./watch-offer.ts";
import { sendWebResponse, toWebRequest } from "./web-exchange.ts";

export function createStatelessLane({ door, holds, answers }: LaneOptions): Lane {
  const { limits } = door;
  const callers = createCallers(door.switchboard, limits.mcpSessions);
  /** What serves the streams of those who listen: each request has a handler of its own. */
  const listens = createRoster<McpHttpHandler>();

  async function serveFast(exchange: Exchange, body: Json): Promise<boolean> {
    const { request, response, admitted, tab } = exchange;
    const plain = statelessCall(request.headers, body);
    if (!plain || door.refusal()) return false;
    const { id, key, name, arguments: given, wantsProgress, asks, client } = plain;
    const agent = callers.of(admitted, client);
    const tool = agent.tool(name, tab);
    if (!isInScope(tab, name) || (tool && hasParamHeaders(tool.inputSchema))) return false;
    const aimed = aimIn(tab, { method: "tools/call", name, arguments: given, key });
    const call = startCall(agent, { asks, rounds: true, left: limits.callTimeMost, ...aimed }, limits);
    const isAnswered = await answerFast(call, response, {
      splice: (payload) => spliceStateless(payload, id),
      patience: wantsProgress ? limits.progressTime : undefined,
      wantsLogs: false,
      readingTime: limits.requestTime,
    });
    if (!isAnswered) await answer(exchange, { body, client, call });
    return true;
  }

  async function serve(exchange: Exchange, body: Json | undefined): Promise<void> {
    const { response, admitted } = exchange;
    const message = isJsonObject(body) ? body : {};
    const client = clientIn(message);
    if (isOf(body, "subscriptions/listen")) {
      const refusal = listenRefusal(message, admitted);
      if (refusal) return respondRpcError(response, refusal, message["id"]);
      answers.stand(response);
    }
    const problem = paramProblem(exchange, message, callers.of(admitted, client));
    if (problem)
      return respondRpcError(response, { status: 400, code: headerMismatch, message: problem }, message["id"]);
    await answer(exchange, { body, client });
  }

  function listenRefusal({ params }: JsonObject, { principal }: Admitted): Refusal | undefined {
    if (answers.standingOf(principal) >= limits.mcpSessions) return refusals.tooManyStreams;
    const { notifications } = isJsonObject(params) ? params : {};
    const { resourceSubscriptions: followed } = isJsonObject(notifications) ? notifications : {};
    const isTooMany = Array.isArray(followed) && followed.length > limits.mcpSubscriptions;
    return isTooMany ? refusals.tooManySubscriptions : undefined;
  }

  async function answer(
    { request, response, admitted, tab }: Exchange,
    {
      body,
      client,
      call,
    }: { readonly body: Json | undefined; readonly client: AgentName; readonly call?: RunningCall },
  ): Promise<void> {
    const agent = callers.of(admitted, client);
    const instructions = isOf(body, "server/discover") ? instructionsFor(agent.tabs(), tab) : undefined;
    const serving = { door, holds, agent, tab, hasSession: false };
    const handler = createMcpHandler(() => createServer(serving, instructions), {
      legacy: "reject",
      onerror: noteFailures(door.note, "request"),
      bus: { publish: () => {}, subscribe: (tell) => watch(watcherOf(admitted, client), tab, tell) },
    });
    if (isOf(body, "subscriptions/listen")) onEnd(response, listens.add(handler));
    const authInfo = authInfoOf(ownerOf(admitted, client, tab));
    const web = toWebRequest(request, response);
    if (call) handOver(web, call);
    const made = await handler.fetch(web, { parsedBody: body, authInfo });
    await sendWebResponse(made, response, limits);
  }

  /** Those of `callers` are forgotten when many others come, and hear nothing more then. */
  function watcherOf({ principal, credential }: Admitted, client: AgentName): AgentSession {
    return door.switchboard.agent({ principal, identity: credential, ...client });
  }

  function close(): void {
    for (const handler of listens.items()) void handler.close();
  }

  return { serveFast, serve, close };
}

const headerMismatch = -32_020;

function isOf(body: Json | undefined, method: string): boolean {
  return isJsonObject(body) && body["method"] === method;
}

/** To whom the state of a call that waits for answers is worth something, and where. */
function ownerOf({ principal, credential }: Admitted, { name, version }: AgentName, tab: string | undefined): string {
  return JSON.stringify([principal, credential, name, version, tab]);
}

/** Where a tool wants some of its arguments repeated in headers: what is wrong with those. */
function paramProblem({ request, tab }: Exchange, message: JsonObject, agent: AgentSession): string | undefined {
  const { method, params } = message;
  if (method !== "tools/call" || !isJsonObject(params) || typeof params["name"] !== "string") return undefined;
  const tool = agent.tool(params["name"], tab);
  const { arguments: given } = params;
  return tool && checkParamHeaders(tool.inputSchema, isJsonObject(given) ? given : undefined, request.headers);
}

function clientIn({ params }: JsonObject): AgentName {
  const _meta = isJsonObject(params) && isJsonObject(params["_meta"]) ? params["_meta"] : {};
  return clientOf(_meta["io.modelcontextprotocol/clientInfo"]) ?? { name: "mcp" };
}

function watch(agent: AgentSession, tab: string | undefined, tell: (event: ServerEvent) => void): () => void {
  watchOffer(agent, tab, (list) => tell({ kind: `${list}_list_changed` }));
  agent.onUpdate((uri, tabId) => {
    if (tab === undefined || tab === tabId) tell({ kind: "resource_updated", uri });
  });
  return agent.close;
}
