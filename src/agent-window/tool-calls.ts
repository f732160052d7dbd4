// The calls of the agent, by their ids: each runs once, however often it comes, and is answered to whoever asked last.
import type { Clock } from "../link/index.ts";
import { PagewireError, shortMessage } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import type { AgentSender } from "./agent-channel.ts";
import type { bridgeLimits } from "./bridge-limits.ts";
import { createDeadlines } from "./deadlines.ts";
import type { KnownCall, KnownCalls } from "./known-calls.ts";
import type { FromAgent } from "./messages.ts";
import { failed, runTool } from "./run-tool.ts";
import type { Answered } from "./run-tool.ts";
import type { ToolCallContext } from "./tool-definition.ts";
import type { ToolShelf } from "./tool-shelf.ts";

export interface ToolCallsOptions {
  readonly shelf: ToolShelf;
  readonly known: KnownCalls;
  readonly clock: Clock;
  readonly date: () => number;
  readonly limits: Pick<typeof bridgeLimits, "runningCalls" | "callTime">;
  /** What a toolbox's tools are told of who calls. */
  readonly agent: string;
  readonly onError: OnError;
}

export interface ToolCalls {
  take(call: FromAgent["tool_call"], sender: AgentSender): void;
  cancel(id: string): void;
  /** Ends every call that runs with this error. */
  endAll(reason: PagewireError): void;
}

interface Run {
  readonly id: string;
  readonly call: KnownCall;
  readonly aborter: AbortController;
  sender: AgentSender;
  stopTimer(): void;
}

export function createToolCalls({ shelf, known, clock, date, limits, agent, onError }: ToolCallsOptions): ToolCalls {
  const runs = new Map<string, Run>();
  const deadlines = createDeadlines(clock);

  function start({ call_id: id, tool_name: name, arguments: args, until }: Call, run: Run): void {
    const deadline = until ?? date() + limits.callTime;
    run.stopTimer = deadlines.after(deadline - date(), () => abort(run, timeIsUp));
    const { signal } = run.aborter;
    const context: ToolCallContext = { callId: id, signal, progress: progressOf(run) };
    void runTool(shelf.find(name), { name, args, context, deadline, agent, onError }).then((answered) =>
      end(run, answered),
    );
  }

  function end(run: Run, answered: Answered): void {
    if (runs.get(run.id) !== run) return;
    run.stopTimer();
    runs.delete(run.id);
    known.answered(run.call, answered);
    reply(run.id, answered, run.sender);
  }

  function abort(run: Run, reason: PagewireError): void {
    end(run, failed(reason));
    run.aborter.abort(reason);
  }

  function progressOf(run: Run): ToolCallContext["progress"] {
    let last = -Infinity;
    return (progress, total, message) => {
      const { id, sender } = run;
      if (runs.get(id) !== run || !sender.hasPort || !Number.isFinite(progress) || progress <= last) return;
      last = progress;
      const told = {
        ...(typeof total === "number" && Number.isFinite(total) && { total }),
        ...(typeof message === "string" && { message: shortMessage(message) }),
      };
      sender.post({ type: "tool_progress", payload: { call_id: id, progress, ...told } });
    };
  }

  /** The answer to a call that came before, if it has one already. */
  function takeAgain(id: string, call: KnownCall, { fingerprint, sender }: Again): void {
    if (call.fingerprint !== undefined && call.fingerprint !== fingerprint) return reply(id, idConflict, sender);
    if (call.answered) return reply(id, call.answered, sender);
    const run = runs.get(id);
    if (run) run.sender = sender;
  }

  return {
    take(call, sender) {
      const { call_id: id, tool_name, arguments: args } = call;
      const fingerprint = `${tool_name} ${JSON.stringify(args)}`;
      const before = known.find(id);
      if (before) return takeAgain(id, before, { fingerprint, sender });
      if (call.again) return reply(id, elsewhere, sender);
      if (call.until !== undefined && call.until <= date()) return reply(id, overdue, sender);
      if (runs.size >= limits.runningCalls) return reply(id, tooMany(limits.runningCalls), sender);
      const run = { id, call: known.add(id, fingerprint), aborter: new AbortController(), sender, stopTimer() {} };
      runs.set(id, run);
      start(call, run);
    },
    cancel(id) {
      const run = runs.get(id);
      if (run) abort(run, cancelled);
    },
    endAll(reason) {
      for (const run of runs.values()) abort(run, reason);
      deadlines.rest();
    },
  };
}

type Call = FromAgent["tool_call"];
type Again = { readonly fingerprint: string; readonly sender: AgentSender };

const cancelled = new PagewireError("cancelled", "The agent cancelled the call. Its handler may have run in part.");
const timeIsUp = new PagewireError(
  "deadline-exceeded",
  "The time for this call is up. Its handler may have run in part.",
);
const overdue = failed(
  new PagewireError("deadline-exceeded", "The call came after its time was up. Its handler did not run."),
);
const elsewhere = failed(
  new PagewireError("outcome-unknown", "The call was made before, of another page or of one that has forgotten it."),
);
const idConflict = failed(
  new PagewireError("key-conflict", "The call_id was used for another tool or other arguments. Use a new one."),
);

function tooMany(most: number): Answered {
  return failed(
    new PagewireError("calls-too-many", `${most} calls run already (limit runningCalls). Try again later.`),
  );
}

function reply(id: string, { answer }: Answered, sender: AgentSender): void {
  sender.post({ type: "tool_response", payload: { call_id: id, ...answer } });
}
