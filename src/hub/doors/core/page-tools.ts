// The tools of a principal's open tabs, for a model. A page that uses the model reaches only tabs of its own origin:
// otherwise it could call any page's tools through the model, and approve each call itself.
import { modelToolOf, textOfResult } from "../../../ai/index.ts";
import type { AiTool, AiToolContext, AiToolHandler } from "../../../ai/index.ts";
import type { PolicySubject } from "../../../policy/index.ts";
import type { AgentSession } from "../../../switchboard/index.ts";
import type { toolCheck } from "../../identity/admitted.ts";
import type { ConsentTool } from "../../approvals/consents.ts";
import { isBuiltInTool, parseJsonObject, textOf } from "../../../wire/index.ts";
import type { Outcome, TabInfo, Tool } from "../../../wire/index.ts";

/** The reason why a call is allowed, and for how many milliseconds its user was asked. */
export interface Allowance {
  readonly decidedBy: string;
  readonly waited: number | undefined;
}

/** The client whose tools these are. */
export interface PageScope {
  readonly agent: AgentSession;
  /** Throws for a tool that the client's credential is not for; the agent checks those of tabs itself. */
  readonly checkTool: ReturnType<typeof toolCheck> | undefined;
  /** The page's origin; undefined for a program, which may use the tools of all tabs of its principal. */
  readonly origin: string | undefined;
  /** The tab that the page claims to be. */
  readonly tab: string | undefined;
  readonly jsonDepth: number;
  /** For a call that has reached its tool, by its id and the name by which the model knows the tool. */
  readonly allowedBy: (callId: string, tool: string) => Allowance;
  /** Whether the hub's policy requires approval of each call of a tool. */
  readonly isAsked: (tool: Omit<PolicySubject, "principal" | "agent">) => boolean;
}

/** A page's tool, with the name that its page uses. */
export type PageTool = AiTool & Pick<ConsentTool, "ownName">;

export function pageTools(scope: PageScope): readonly PageTool[] {
  const { agent, origin, tab } = scope;
  if (origin === undefined)
    return agent.offer().tools.flatMap((tool) => (isBuiltInTool(tool.name) ? [] : listedTool(tool, scope)));
  const tabs = agent.tabs().filter((one) => one.origin === origin);
  const own = tabs.filter(({ tabId }) => tabId === tab);
  const found = new Map<string, AiTool>();
  for (const { tabId, app } of own.length > 0 ? own : tabs.toSorted(activeFirst)) {
    for (const tool of agent.tabOffer(tabId).tools) {
      if (!found.has(tool.name))
        found.set(tool.name, toAiTool({ tool, app, origin, ownName: tool.name, tab: tabId }, scope));
    }
  }
  return [...found.values()];
}

/** The tools of one tab; none while it is not connected. */
export function tabTools(chosen: string, scope: PageScope): readonly PageTool[] {
  const { agent } = scope;
  const found = agent.tabs().find(({ tabId }) => tabId === chosen);
  if (!found) return [];
  const { app, origin } = found;
  return agent.tabOffer(chosen).tools.map((tool) => ({
    ...toAiTool({ tool, app, origin, ownName: tool.name, tab: chosen }, scope),
    origin,
    ownName: tool.name,
  }));
}

function activeFirst(one: TabInfo, other: TabInfo): number {
  return Number(other.isActive) - Number(one.isActive);
}

function listedTool(tool: Tool, scope: PageScope): readonly PageTool[] {
  const { name } = tool;
  const { agent } = scope;
  const source = agent.sourceOf(name);
  if (source === undefined) return [];
  const { origin, app, name: ownName } = source;
  const { handler, ...rest } = toAiTool({ tool, app, origin, ownName }, scope);
  const call: typeof handler = (given, context) => {
    // The name may belong to another origin's tool by now, without an approval.
    if ((agent.sourceOf(name)?.origin ?? origin) === origin) return handler(given, context);
    throw new Error(`"${name}" is not a tool of ${origin} any more.`);
  };
  return [{ ...rest, origin, ownName, handler: call }];
}

interface FoundTool {
  readonly tool: Tool;
  readonly origin: string;
  readonly app: string;
  readonly ownName: string;
  /** The tab that uses this name; undefined for a name from the combined list. */
  readonly tab?: string;
}

function toAiTool(
  { tool, tab, ownName, ...whose }: FoundTool,
  scope: PageScope,
): AiTool & Required<Pick<AiTool, "handler">> {
  const { name, annotations } = tool;
  const isAsked = scope.isAsked({ door: "model", ...whose, tool: ownName, annotations });
  return {
    ...modelToolOf(tool),
    ...(isAsked && { needsApproval: "each-call" as const }),
    handler: (given: unknown, context) => callTab({ name, tab, given }, scope, context),
  };
}

interface TabCall {
  readonly name: string;
  /** The tab that uses this name; undefined for a name from the combined list. */
  readonly tab: string | undefined;
  readonly given: unknown;
}

async function callTab({ name, tab, given }: TabCall, scope: PageScope, context: AiToolContext): Promise<unknown> {
  const { signal } = context;
  const allowance = scope.allowedBy(context.callId, context.name);
  const outcome = await new Promise<Outcome>((resolve) => {
    const aim = tab === undefined ? {} : { tab, isOwnName: true as const };
    const handle = scope.agent.call(
      { method: "tools/call", name, arguments: JSON.stringify(given ?? {}), ...allowance, ...aim },
      {
        ended(ended) {
          handle.received();
          resolve(ended);
        },
      },
    );
    signal.addEventListener("abort", () => handle.cancel(), { once: true });
  });
  const result = outcome.payload === undefined ? undefined : parseJsonObject(textOf(outcome.payload), scope.jsonDepth);
  const text = result && textOfResult(result);
  if (outcome.outcome === "ok" && text !== undefined) return text;
  throw new Error(text || outcome.message || "The page's answer cannot be read.");
}

/** Tools that run only while this hub has the conversation: another may go on with it by now. */
export function fenceTools(tools: readonly PageTool[], stay: () => Promise<void>): readonly PageTool[] {
  return tools.map((tool) => {
    const { handler: run } = tool;
    if (!run) return tool;
    const handler: AiToolHandler = async (given, context) => {
      await stay();
      context.signal.throwIfAborted();
      return run(given, context);
    };
    return { ...tool, handler };
  });
}
