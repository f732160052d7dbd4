import type { AiToolCall, AiToolCallState, AiToolDecision } from "../ai/index.ts";
import type { Approve } from "../toolbox/index.ts";

export interface ToolCallReporterOptions {
  /** Whether the first state is reported, too: not if the calls are older than this page. */
  readonly reportsFirst: boolean;
  readonly dispatch: (name: "tool-call-requested" | "tool-call-completed", detail: object) => void;
  readonly settle: (callId: string, decision: AiToolDecision) => void;
  readonly getApprove: () => Approve | undefined;
}

export interface ToolCallReporter {
  /** Receives the current state of the calls. */
  update(calls: readonly AiToolCallState[]): void;
  /** Withdraws the questions to the user. */
  close(): void;
}

type Status = AiToolCallState["status"];

const over: readonly Status[] = ["done", "failed", "refused"];

/**
 * Loaded with the first call. Dispatches the same events for a server's tool calls as AiCore does, and asks the user if
 * the page can.
 */
export function createToolCallReporter({
  reportsFirst,
  dispatch,
  settle,
  getApprove,
}: ToolCallReporterOptions): ToolCallReporter {
  const known = new Map<string, Status>();
  const questions = new Map<string, AbortController>();
  let isSeeded = reportsFirst;

  function update(calls: readonly AiToolCallState[]): void {
    for (const id of known.keys()) if (!calls.some((call) => call.id === id)) known.delete(id);
    for (const call of calls) {
      const before = known.get(call.id);
      known.set(call.id, call.status);
      if (isSeeded) report(call, before);
    }
    isSeeded = true;
    const waiting = calls.filter(({ status }) => status === "waiting");
    for (const [id, question] of questions) if (!waiting.some((call) => call.id === id)) withdraw(id, question);
    for (const call of waiting) ask(call);
  }

  function report({ status, result = "", ...call }: AiToolCallState, before: Status = "streaming"): void {
    const toolCall: AiToolCall = { id: call.id, name: call.name, arguments: call.arguments };
    if (before === "streaming" && status !== before) dispatch("tool-call-requested", { toolCall });
    if (status === before || !over.includes(status)) return;
    const outcome = status === "done" ? { result } : { error: errorIn(result) };
    dispatch("tool-call-completed", { toolCall, ...outcome });
  }

  function ask({ id, approval }: AiToolCallState): void {
    const approve = getApprove();
    if (!approve || !approval || questions.has(id)) return;
    const question = new AbortController();
    questions.set(id, question);
    const answer = (decision: AiToolDecision) => question.signal.aborted || settle(id, decision);
    Promise.resolve()
      .then(() => approve(approval, question.signal))
      .then(answer, () => answer(false));
  }

  function withdraw(id: string, question: AbortController): void {
    questions.delete(id);
    question.abort();
  }

  return {
    update: update,
    close() {
      for (const [id, question] of questions) withdraw(id, question);
    },
  };
}

/** The model is given a failure as `{"error": …}`. */
function errorIn(result: string): string {
  try {
    const { error } = Object(JSON.parse(result)) as { readonly error?: unknown };
    return typeof error === "string" ? error : result;
  } catch {
    return result;
  }
}
