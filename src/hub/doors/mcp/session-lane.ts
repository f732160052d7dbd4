// Requests of the revisions with sessions: finds or opens the session, and lets its server answer.
import { isJsonObject } from "../../../wire/index.ts";
import type { Json, Tool } from "../../../wire/index.ts";
import { onEnd } from "../../http/on-end.ts";
import { answerFast } from "./fast-lane.ts";
import type { Exchange, Lane, LaneOptions } from "./lane.ts";
import { clientOf, sessionCall } from "./plain-call.ts";
import { refusals, respondRpcError } from "./rpc-error.ts";
import { startCall } from "./running-call.ts";
import type { RunningCall } from "./running-call.ts";
import { aimIn, isInScope } from "./scope.ts";
import { authInfoOf, handOver } from "./serve-call.ts";
import { createSessions } from "./sessions.ts";
import type { McpSession } from "./sessions.ts";
import { spliceInSession } from "./splice.ts";
import { sendWebResponse, toWebRequest } from "./web-exchange.ts";

export function createSessionLane({ door, holds, answers }: LaneOptions): Lane & { review(): void } {
  const { limits } = door;
  const sessions = createSessions(door, holds);

  const find = ({ request, admitted, tab }: Exchange): McpSession | undefined => {
    const id = request.headers["mcp-session-id"];
    return typeof id === "string" ? sessions.find(id, admitted, tab) : undefined;
  };

  async function serveFast(exchange: Exchange, body: Json): Promise<boolean> {
    const { request, response } = exchange;
    const session = find(exchange);
    const plain = session && isOfThisRevision(session, exchange) ? sessionCall(request.headers, body) : undefined;
    if (!session || !plain || door.refusal()) return false;
    const { id, key, name, arguments: given, wantsProgress } = plain;
    const tool = session.agent.tool(name, session.tab);
    if (!isInScope(session.tab, name) || (tool && !hasPlainOutput(tool))) return false;
    const aimed = aimIn(session.tab, { method: "tools/call", name, arguments: given, key });
    const call = startCall(session.agent, { asks: session.asks(), left: limits.callTimeMost, ...aimed }, limits);
    const forget = session.calls.add({ id, call });
    onEnd(response, session.use());
    const isAnswered = await answerFast(call, response, {
      splice: (payload) => spliceInSession(payload, id),
      patience: wantsProgress ? limits.progressTime : undefined,
      wantsLogs: true,
      readingTime: limits.requestTime,
    });
    if (!isAnswered) await answer(exchange, session, { body, call });
    forget();
    return true;
  }

  async function serve(exchange: Exchange, body: Json | undefined): Promise<void> {
    const { request, response } = exchange;
    const hasId = request.headers["mcp-session-id"] !== undefined;
    const session = hasId ? find(exchange) : await open(exchange, body);
    if (!session) return respondRpcError(response, hasId ? refusals.unknownSession : refusals.noSession);
    if (Array.isArray(body) && !session.takesBatches()) return respondRpcError(response, refusals.batch);
    onEnd(response, session.use());
    if (request.method === "GET") answers.stand(response);
    for (const message of Array.isArray(body) ? body : [body]) callOff(session, message);
    await answer(exchange, session, { body });
    session.closeUnlessInitialized();
  }

  async function open({ admitted, tab }: Exchange, body: Json | undefined): Promise<McpSession | undefined> {
    if (!isJsonObject(body) || body["method"] !== "initialize") return undefined;
    const { params } = body;
    const client = clientOf(isJsonObject(params) ? params["clientInfo"] : undefined) ?? { name: "mcp" };
    return sessions.open({ admitted, tab, client });
  }

  async function answer(
    { request, response, admitted }: Exchange,
    session: McpSession,
    { body, call }: { readonly body: Json | undefined; readonly call?: RunningCall },
  ): Promise<void> {
    const authInfo = authInfoOf(admitted.principal);
    const web = toWebRequest(request, response);
    if (call) handOver(web, call);
    await sendWebResponse(
      await session.transport.handleRequest(web, body === undefined ? { authInfo } : { authInfo, parsedBody: body }),
      response,
      limits,
    );
  }

  return { serveFast, serve, review: sessions.review, close: sessions.close };
}

function isOfThisRevision(session: McpSession, { request }: Exchange): boolean {
  const version = request.headers["mcp-protocol-version"];
  const negotiated = session.version();
  return negotiated !== undefined && (version === undefined || version === negotiated);
}

/** Before 2026-07-28 only objects could be structured content: all else has to be put into one. */
function hasPlainOutput({ outputSchema }: Tool): boolean {
  return outputSchema === undefined || outputSchema["type"] === "object";
}

/** Calls of the fast lane are not known to the session's server: it could not cancel them. */
function callOff(session: McpSession, body: Json | undefined): void {
  if (!isJsonObject(body) || body["method"] !== "notifications/cancelled" || !isJsonObject(body["params"])) return;
  const { requestId, reason } = body["params"];
  const id = JSON.stringify(requestId);
  const found = session.calls.items().findLast((one) => one.id === id);
  found?.call.cancel(typeof reason === "string" ? reason : undefined);
}
