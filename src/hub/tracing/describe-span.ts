// The words of a call's span: OpenTelemetry's conventions for MCP, and for tools where a call comes in another way. What a
// page or a caller wrote is not among them, but for the names of what is called.
import type { Attributes } from "@opentelemetry/api";
import { rpcErrorOf } from "../../mcp/index.ts";
import type { Outcome } from "../../wire/index.ts";
import type { TracedAgent, TracedRequest, TracedTab } from "./tracing.ts";

const longest = 256;
const cut = (text: string | number) => String(text).slice(0, longest);

/** What a call uses, by its method: the attribute that names it, and whether that is for the span's name, too. */
const targets: Readonly<Record<string, { readonly attribute: string; readonly isFew: boolean }>> = {
  "tools/call": { attribute: "gen_ai.tool.name", isFew: true },
  "prompts/get": { attribute: "gen_ai.prompt.name", isFew: true },
  "resources/read": { attribute: "mcp.resource.uri", isFew: false },
};

const protocols: Readonly<Record<string, string>> = {
  mcp: "http",
  http: "http",
  delegate: "http",
  socket: "websocket",
};

/** The name of a span, and of all that use nothing that is known. */
export function methodOf(method: string, { door }: TracedAgent): string {
  return method === "tools/call" && door !== "mcp" ? "execute_tool" : method;
}

export function nameOfSpan({ method, name }: TracedRequest, agent: TracedAgent): string {
  const word = methodOf(method, agent);
  return targets[method]?.isFew ? `${word} ${cut(name)}` : word;
}

/** What is known when a call begins. */
export function startOfSpan(request: TracedRequest, agent: TracedAgent): Attributes {
  const { method, name, requestId } = request;
  const { door = "unknown", revision, session } = agent;
  const target = targets[method];
  const protocol = protocols[door];
  const attributes: Attributes = { "pagewire.door": door, "pagewire.agent.name": agent.name };
  if (door === "mcp") attributes["mcp.method.name"] = method;
  if (revision !== undefined) attributes["mcp.protocol.version"] = revision;
  if (session !== undefined) attributes["mcp.session.id"] = session;
  if (requestId !== undefined) attributes["jsonrpc.request.id"] = cut(requestId);
  if (method === "tools/call") attributes["gen_ai.operation.name"] = "execute_tool";
  if (target) attributes[target.attribute] = cut(name);
  if (protocol !== undefined) attributes["network.transport"] = "tcp";
  if (protocol !== undefined) attributes["network.protocol.name"] = protocol;
  if (agent.version !== undefined) attributes["pagewire.agent.version"] = agent.version;
  return attributes;
}

export interface SpanEnd {
  readonly attributes: Attributes;
  readonly isError: boolean;
  /** Whether there is nothing of the name that was called. */
  readonly isUnknown: boolean;
}

/** What is known of a call at its end. */
export interface CallEnd extends Pick<TracedRequest, "method" | "name"> {
  readonly door: string | undefined;
  /** Undefined where the caller left. */
  readonly outcome: Outcome | undefined;
  /** The tab that took it, if one did. */
  readonly tab: TracedTab | undefined;
}

export function endOfSpan({ method, name, door, outcome, tab }: CallEnd): SpanEnd {
  const attributes: Attributes = {};
  if (tab) attributes["pagewire.tab"] = tab.tabId;
  if (tab?.app !== undefined) attributes["pagewire.app"] = tab.app;
  if (!outcome) {
    attributes["error.type"] = "caller-gone";
    return { attributes, isError: true, isUnknown: false };
  }
  const { code, replay } = outcome;
  attributes["pagewire.outcome"] = outcome.outcome;
  attributes["pagewire.ran"] = outcome.ran;
  if (code !== undefined) attributes["pagewire.code"] = code;
  if (replay) attributes["pagewire.replay"] = true;
  const rpcCode = door === "mcp" ? rpcErrorOf(outcome, { method, name })?.code : undefined;
  if (rpcCode !== undefined) attributes["rpc.response.status_code"] = String(rpcCode);
  const type = errorTypeOf(outcome, rpcCode);
  if (type !== undefined) attributes["error.type"] = type;
  const isUnknown = code === "tool-not-found" || code === "offer-not-found";
  return { attributes, isError: type !== undefined, isUnknown };
}

function errorTypeOf({ outcome, code }: Outcome, rpcCode: number | undefined): string | undefined {
  if (rpcCode !== undefined) return String(rpcCode);
  if (outcome === "tool-error") return "tool_error";
  return outcome === "ok" ? undefined : (code ?? outcome);
}
