// Runs the calls that come over the wire in the page's toolbox: each at most once, in time, and with one answer.
import type { CallEnvironment, CallInput, CallOutcome, Calls } from "../toolbox/index.ts";
import { PagewireError, isForTerminals } from "../wire/index.ts";
import type { FrameFromPage, FrameToPage, JsonObject, PageLimits, Tool } from "../wire/index.ts";
import { answerOf, failure, forgotten, outcomeOf, pageClosed } from "./answer.ts";
import type { Answer, Failure } from "./answer.ts";
import type { CallMemory, RememberedCall } from "./call-memory.ts";
import { parseCallPayload } from "./call-payload.ts";
import { dialogShown } from "./dialog/dialog-shown.ts";
import type { Dialog } from "./dialog/dialog.ts";
import type { TabEnvironment } from "./environment.ts";
import { createLateness } from "./lateness.ts";
import type { PageCallEvent } from "./page.ts";
import { createQuestions } from "./questions.ts";
import type { Questions } from "./questions.ts";

type Frame<Type> = Extract<FrameToPage, { type: Type }>;

export interface CallRunner {
  /** Takes a frame about a call. */
  take(frame: FrameToPage, payload: string): void;
  /** A hub welcomed this page. */
  welcomed(welcome: Frame<"welcome">): void;
  /** The calls that run now. */
  running(): readonly string[];
  /** Aborts what runs. */
  close(): void;
}

/** What the calls run in. */
interface Callable extends Calls {
  list(): readonly Pick<Tool, "name" | "_meta">[];
}

export interface CallRunnerOptions {
  readonly toolbox: Callable;
  readonly environment: Pick<TabEnvironment, "clock" | "date">;
  readonly memory: CallMemory;
  readonly limits: PageLimits;
  readonly loadDialog: () => Promise<Dialog>;
  /** Sends a frame where there is a link; an answer that is lost is asked for again. */
  readonly send: (frame: FrameFromPage, payload?: string) => void;
  readonly onCall: (event: PageCallEvent) => void;
}

interface Run {
  readonly call: RememberedCall;
  readonly frame: Frame<"call">;
  readonly aborter: AbortController;
  readonly questions: Questions;
  /** Why it was aborted, once it was. */
  abortion?: Failure;
}

export function createCallRunner(options: CallRunnerOptions): CallRunner {
  const { toolbox, limits, loadDialog, memory, send, onCall } = options;
  const { clock, date } = options.environment;
  const lateness = createLateness(clock.now);
  const runs = new Map<RememberedCall, Run>();
  /** What the hub calls this tab: another name for each principal, and nothing may cross between those. */
  let tab = "";

  const reply = (id: string, { frame, payload }: Answer) => send({ ...frame, id }, payload);
  const logOf = (call: RememberedCall): CallEnvironment["log"] => {
    return (level, data, logger) => send({ type: "log", id: call.id, level, logger }, JSON.stringify(data));
  };
  const runOf = (id: string) => [...runs.values()].find((run) => run.call.id === id);
  const keyOfId = (id: string) => `${tab} id ${id}`;

  function begin(frame: Frame<"call">, payload: string): void {
    const { id, key, method, name, at, left, resume, input, epoch } = frame;
    const late = lateness.of(at);
    // Only a key can come again with other arguments; an id never does.
    const fingerprint = key === undefined ? "" : `${method}\n${name}\n${input ? "again " : ""}${payload}`;
    const memoryKey = key === undefined ? keyOfId(id) : `${tab} key ${key}`;
    const known = memory.find(memoryKey) ?? memory.find(keyOfId(id));
    if (known) return beginAgain(known, id, fingerprint);
    if (resume) return reply(id, forgotten);
    // Who sent this did not know yet that a new epoch began: it sends the call again as soon as it does.
    if (epoch && epoch !== memory.epochs.at(-1)) return;
    if (late >= left) return reply(id, tooLate);

    const call: RememberedCall = { id, fingerprint, at: date(), isSecret: isSecret(frame) };
    memory.add(memoryKey, call);
    send({ type: "ack", id });
    void execute(startRun(call, frame), payload, left - late).then(({ frame: answer }) => {
      // The next round of questions comes under the same key, and a key whose call never ran may be used again; the
      // same frame still may not come twice.
      const isKeyFree = answer.type === "result" ? answer.inputRequired : answer.ran === "no";
      if (isKeyFree) memory.rename(call, memoryKey, keyOfId(call.id));
    });
  }

  /** Passwords are said to tools for terminals only: also to one that is gone by now, of which this cannot be told. */
  function isSecret({ method, name }: Frame<"call">): boolean {
    return method === "tools/call" && !toolbox.list().some((tool) => tool.name === name && !isForTerminals(tool));
  }

  function beginAgain(call: RememberedCall, id: string, fingerprint: string): void {
    if (call.fingerprint && call.fingerprint !== fingerprint) return reply(id, keyConflict);
    call.id = id;
    if (call.answer) return reply(id, call.answer);
    send({ type: "ack", id });
    runs.get(call)?.questions.repeat();
  }

  function startRun(call: RememberedCall, frame: Frame<"call">): Run {
    const aborter = new AbortController();
    // Whichever way a tool asks, its dialog has the call's signal.
    aborter.signal.addEventListener(dialogShown, (event) =>
      logOf(call)("notice", `The page waits for its user: ${String((event as CustomEvent).detail)}`),
    );
    const questions = createQuestions({
      callerTakes: frame.asks ?? [],
      sendToCaller: (ask, method, text) => send({ type: "ask", id: call.id, ask, method }, text),
      loadDialog,
      signal: aborter.signal,
      jsonDepth: limits.jsonDepth,
    });
    const run = { call, frame, aborter, questions };
    runs.set(call, run);
    return run;
  }

  async function execute(run: Run, payload: string, left: number): Promise<Answer> {
    const { call, frame } = run;
    const startedAt = clock.now();
    const stopDeadline = clock.after(left, () => abort(run, timeIsUp));
    const parsed = parseCallPayload(frame, payload, limits.jsonDepth);
    tell(run, { event: "started", ...(call.isSecret ? {} : { arguments: parsed?.given ?? {} }) });
    const answer = parsed
      ? answerOf(
          await runIn(toolbox, frame, { ...parsed, environment: environmentOf(run, left, parsed.input) }),
          run.abortion ?? pageClosed,
        )
      : notAnObject;
    stopDeadline();
    runs.delete(call);
    memory.answered(call, answer);
    reply(call.id, answer);
    tell(run, { event: "ended", outcome: outcomeOf(answer), milliseconds: clock.now() - startedAt });
    return answer;
  }

  function environmentOf(run: Run, left: number, input: CallInput | undefined): CallEnvironment {
    const { call, frame, aborter, questions } = run;
    return {
      callId: frame.id,
      agent: frame.agent,
      signal: aborter.signal,
      deadline: date() + left,
      asks: frame.asks ?? [],
      rounds: frame.rounds ?? false,
      input,
      progress(progress, total, message) {
        send({ type: "progress", id: call.id, progress, total, message });
        tell(run, { event: "progress", progress, total });
      },
      log: logOf(call),
      ask: questions.ask,
    };
  }

  /** A call has one id here, that its handler knows it by, also after another hub gave it a new one. */
  function tell({ frame }: Run, event: Omit<PageCallEvent, "id" | "method" | "name" | "agent" | "agentVersion">): void {
    const { id, method, name, agent } = frame;
    onCall({ ...event, id, method, name, agent: agent.name, agentVersion: agent.version });
  }

  function abort(run: Run, abortion: Failure): void {
    run.abortion ??= abortion;
    run.aborter.abort(new PagewireError(abortion.code, abortion.message));
  }

  function cancel({ id, reason = "The call was cancelled." }: Frame<"cancel">): void {
    const cancelled = { outcome: "cancelled", code: "cancelled", message: reason } as const;
    const run = runOf(id);
    const key = keyOfId(id);
    if (run) abort(run, { ...cancelled, ran: "maybe" });
    // The call may still come, out of order: it must not run then.
    else if (!memory.find(key)) memory.add(key, { id, fingerprint: "", at: date(), answer: failure(cancelled) });
  }

  return {
    take(frame, payload) {
      if (frame.type === "call") begin(frame, payload);
      else if (frame.type === "cancel") cancel(frame);
      else if (frame.type === "answer") runOf(frame.id)?.questions.answer(frame, payload);
    },
    welcomed(welcome) {
      lateness.reset(welcome.at);
      tab = welcome.tab;
    },
    running: () => [...runs.keys()].map(({ id }) => id),
    close() {
      for (const run of runs.values()) abort(run, pageClosed);
    },
  };
}

function runIn(
  toolbox: Callable,
  { method, name }: Frame<"call">,
  { given, environment }: { readonly given: JsonObject; readonly environment: CallEnvironment },
): Promise<CallOutcome> {
  switch (method) {
    case "tools/call":
      return toolbox.callTool(name, given, environment);
    case "resources/read":
      return toolbox.readResource(name, environment);
    case "prompts/get":
      return toolbox.getPrompt(name, given, environment);
    case "completion/complete":
      return toolbox.complete(given, environment);
  }
}

const tooLate = failure({
  outcome: "deadline-exceeded",
  code: "deadline-exceeded",
  message: "The call came too late and was not run.",
});
const keyConflict = failure({
  outcome: "rejected",
  code: "key-conflict",
  message: "The key was used for another tool or other arguments. Use a new key.",
});
const notAnObject = failure({
  outcome: "rejected",
  code: "arguments-malformed",
  message: "The arguments of the call, or what was answered, are not a JSON object, or nest too deeply.",
});
const timeIsUp: Failure = {
  outcome: "deadline-exceeded",
  code: "deadline-exceeded",
  message: "The time for this call is up.",
  ran: "maybe",
};
