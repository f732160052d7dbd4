// Audit records of a model's tool calls: every question to the user, and every call that no switchboard sees because it
// was refused before it reached its tool, or because the tool is the server's own.
import type { AiToolCallState } from "../../../ai/index.ts";
import type { ApprovalDecision } from "../../../toolbox/index.ts";
import type { Audit } from "../../audit/audit.ts";
import { waitOf } from "../../audit/call-steps.ts";
import type { Allowance, PageTool } from "./page-tools.ts";

export interface ToolRecords {
  /** Starts another answer, with these tools. */
  begin(tools: readonly PageTool[]): void;
  /** The current state of the answer's calls. */
  follow(calls: readonly AiToolCallState[]): void;
  decided(callId: string, decision: Decision): void;
  /** A tool may run without a question because the user has always allowed it. */
  consented(tool: string): void;
  /** A call that a switchboard sees has reached its tool. Returns what allowed it. */
  allowedBy(callId: string, tool: string): Allowance;
}

export interface Decision {
  readonly approved: boolean;
  readonly by: "user" | "time";
  readonly scope?: ApprovalDecision["scope"] | undefined;
}

export interface ToolRecordsOptions {
  readonly audit: Pick<Audit, "record" | "call">;
  readonly principal: string;
  /** The page that uses the model; undefined for a program or the hub's own pages. */
  readonly origin: string | undefined;
}

interface Followed {
  status: AiToolCallState["status"];
  /** The time at which its user was asked, and how long that took. */
  askedAt: number | undefined;
  waited: number | undefined;
  /** The time at which it started to run. */
  startedAt: number | undefined;
  isSeen: boolean;
  decision: Decision | undefined;
}

const agent = "ai-agent";
const final: readonly AiToolCallState["status"][] = ["done", "failed", "refused"];

export function createToolRecords({ audit, principal, origin: asker }: ToolRecordsOptions): ToolRecords {
  const followed = new Map<string, Followed>();
  const consents = new Set<string>();
  /** The tools allowed for as long as the conversation is in memory. */
  const session = new Set<string>();
  let tools: readonly PageTool[] = [];

  const about = (call: Pick<AiToolCallState, "name">) => {
    const tool = tools.find(({ name }) => name === call.name);
    const origin = tool?.origin ?? asker;
    return { principal, agent, door: "model", origin, name: tool?.ownName ?? call.name };
  };

  function entryOf(id: string): Followed {
    const known = followed.get(id);
    if (known) return known;
    const none = { askedAt: undefined, waited: undefined, startedAt: undefined, decision: undefined };
    const entry: Followed = { status: "streaming", isSeen: false, ...none };
    followed.set(id, entry);
    return entry;
  }

  function recordQuestion(call: AiToolCallState, decision: Decision | undefined): void {
    const { approved, by, scope } = decision ?? {};
    const outcome = decision ? (approved ? "approved" : "refused") : "stopped";
    const details = { method: "approval", ...(scope && { scope }) };
    audit.record({ kind: "question", ...about(call), outcome, decidedBy: by, details });
  }

  function recordCall(call: AiToolCallState, { startedAt, waited, decision }: Followed): void {
    const { arguments: given, status, result } = call;
    const isDone = status === "done";
    const ran = isDone ? "yes" : startedAt === undefined ? "no" : "maybe";
    audit.call({
      ...about(call),
      given,
      result: ran === "no" ? undefined : result,
      outcome: ran === "no" ? "rejected" : isDone ? "ok" : "tool-error",
      ran,
      milliseconds: startedAt === undefined ? undefined : Math.round(performance.now() - startedAt),
      decidedBy: decision?.by ?? (status === "refused" ? "consent" : allowedUnasked(call.name)),
      steps: waitOf(waited),
    });
  }

  function allowedUnasked(tool: string): string {
    return consents.has(tool) ? "consent" : session.has(tool) ? "session" : "not-asked";
  }

  function followOne(call: AiToolCallState): void {
    const entry = entryOf(call.id);
    const before = entry.status;
    if (before === call.status || final.includes(before)) return;
    entry.status = call.status;
    if (call.status === "waiting") entry.askedAt = performance.now();
    if (before === "waiting") {
      entry.waited = entry.askedAt === undefined ? undefined : performance.now() - entry.askedAt;
      recordQuestion(call, entry.decision);
    }
    const { approved, scope = "once" } = entry.decision ?? {};
    if (approved && scope !== "once") session.add(call.name);
    if (call.status === "running") entry.startedAt = performance.now();
    if (final.includes(call.status) && !entry.isSeen) recordCall(call, entry);
  }

  return {
    begin(those) {
      tools = those;
      followed.clear();
      consents.clear();
    },
    follow: (calls) => calls.forEach(followOne),
    decided: (callId, decision) => void (entryOf(callId).decision = decision),
    consented: (tool) => void consents.add(tool),
    allowedBy(callId, tool) {
      const entry = entryOf(callId);
      entry.isSeen = true;
      return { decidedBy: entry.decision?.by ?? allowedUnasked(tool), waited: entry.waited };
    },
  };
}
