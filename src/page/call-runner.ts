// Runs the calls that come over the wire in the page's toolbox: each at most once, in time, and with one answer.
import type { Clock } from "../link/index.ts";
import type { CallEnvironment, CallOutcome, LocalToolbox } from "../toolbox/index.ts";
import { PagewireError, messageOf, parseJsonObject } from "../wire/index.ts";
import type { AskMethod, FrameFromPage, FrameToPage, JsonObject, Limits, OutcomeName, Ran } from "../wire/index.ts";
import { createCallMemory } from "./call-memory.ts";
import type { Answer, RememberedCall } from "./call-memory.ts";
import type { TabStorage } from "./environment.ts";
import { createLateness } from "./lateness.ts";
import type { PageCallEvent } from "./page.ts";

type CallFrame = Extract<FrameToPage, { type: "call" }>;
type AnswerFrame = Extract<FrameToPage, { type: "answer" }>;

export interface CallRunner {
  call(frame: CallFrame, payload: string): void;
  cancel(id: string, reason: string): void;
  answer(frame: AnswerFrame, payload: string): void;
  /** A hub welcomed this page; its clock read `at`. */
  welcomed(at: number): void;
  /** The calls that run now. */
  running(): readonly string[];
  /** Writes down what must not be forgotten; to be called before scripts stop. */
  save(): void;
}

export interface CallRunnerOptions {
  readonly toolbox: LocalToolbox;
  /** Where calls are remembered across reloads. */
  readonly storage: TabStorage;
  readonly clock: Clock;
  readonly date: () => number;
  readonly limits: Limits;
  /** Sends a frame where there is a link; an answer that is lost is asked for again. */
  readonly send: (frame: FrameFromPage, payload?: string) => void;
  /** Asks the user in the page, for callers that cannot. */
  readonly askInPage: (method: AskMethod, parameters: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  readonly onCall: (event: PageCallEvent) => void;
}

interface Run {
  readonly call: RememberedCall;
  readonly frame: CallFrame;
  readonly aborter: AbortController;
  readonly questions: Map<string, Question>;
  /** Why it was aborted, once it was. */
  ended?: "cancelled" | "deadline-exceeded";
}

interface Question {
  readonly method: AskMethod;
  readonly text: string;
  settle(answer: AnswerFrame, payload: string): void;
}

export function createCallRunner(options: CallRunnerOptions): CallRunner {
  const { toolbox, clock, date, limits, send, askInPage, onCall } = options;
  const memory = createCallMemory(options.storage, date);
  const lateness = createLateness(clock.now);
  const runs = new Map<RememberedCall, Run>();
  let questionCount = 0;

  const reply = (id: string, { frame, payload }: Answer) => send({ ...frame, id }, payload);
  const ask = ({ call: { id } }: Run, name: string, { method, text }: Question) =>
    send({ type: "ask", id, ask: name, method }, text);
  const runOf = (id: string) => [...runs.values()].find((run) => run.call.id === id);

  function take(frame: CallFrame, payload: string): void {
    const { id, key, method, name, at, left } = frame;
    const late = lateness.of(at);
    // Only a key can come again with other arguments; an id never does.
    const fingerprint = key === undefined ? "" : `${method}\n${name}\n${payload}`;
    const memoryKey = key === undefined ? `id ${id}` : `key ${key}`;
    const known = memory.find(memoryKey);
    if (known) return takeAgain(known, id, fingerprint);
    if (frame.resume) return reply(id, failure("outcome-unknown", "This page no longer knows of the call.", "maybe"));
    if (late >= left) return reply(id, failure("deadline-exceeded", "The call came too late and was not run."));
    const call: RememberedCall = { id, fingerprint, at: date() };
    const run: Run = { call, frame, aborter: new AbortController(), questions: new Map() };
    memory.add(memoryKey, call);
    runs.set(call, run);
    send({ type: "ack", id });
    void execute(run, payload, left - late);
  }

  function takeAgain(call: RememberedCall, id: string, fingerprint: string): void {
    const run = runs.get(call);
    if (call.fingerprint && call.fingerprint !== fingerprint) {
      return reply(id, failure("rejected", "The key was used for another call. Use a new key.", "no", "key-conflict"));
    }
    call.id = id;
    if (call.answer) return reply(id, call.answer);
    if (!run) return reply(id, failure("outcome-unknown", "The page was reloaded while the call ran.", "maybe"));
    send({ type: "ack", id });
    for (const [name, question] of run.questions) ask(run, name, question);
  }

  async function execute(run: Run, payload: string, left: number): Promise<void> {
    const { call, frame } = run;
    const startedAt = clock.now();
    const stopDeadline = clock.after(left, () => abort(run, "deadline-exceeded", "The time for this call is up."));
    const given = payload ? parseJsonObject(payload, limits.jsonDepth) : {};
    tell(run, { event: "started", arguments: given ?? {} });
    const answer = given
      ? answerOf(run, await runIn(toolbox, frame, { given, environment: environmentOf(run, left) }))
      : failure("rejected", `The arguments of "${frame.name}" are not a JSON object.`, "no", "arguments-malformed");
    stopDeadline();
    runs.delete(call);
    memory.answered(call, answer);
    reply(call.id, answer);
    tell(run, { event: "ended", outcome: outcomeOf(answer), milliseconds: clock.now() - startedAt });
  }

  function tell(
    { call: { id }, frame: { method, name, agent } }: Run,
    event: Omit<PageCallEvent, "id" | "method" | "name" | "agent">,
  ): void {
    onCall({ ...event, id, method, name, agent: agent.name });
  }

  function abort(run: Run, ended: NonNullable<Run["ended"]>, reason: string): void {
    run.ended ??= ended;
    run.aborter.abort(new PagewireError(ended, reason));
  }

  function environmentOf(run: Run, left: number): CallEnvironment {
    const { call, frame, aborter } = run;
    const { signal } = aborter;
    return {
      callId: frame.id,
      agent: frame.agent,
      signal,
      deadline: date() + left,
      progress(progress, total, message) {
        send({ type: "progress", id: call.id, progress, total, message });
        tell(run, { event: "progress", progress, total });
      },
      log: (level, data, logger) => send({ type: "log", id: call.id, level, logger }, JSON.stringify(data)),
      ask: (method, parameters) =>
        frame.asks?.includes(method) ? askCaller(run, method, parameters) : askInPage(method, parameters, signal),
    };
  }

  function askCaller(run: Run, method: AskMethod, parameters: JsonObject): Promise<JsonObject> {
    const {
      questions,
      aborter: { signal },
    } = run;
    const name = String(++questionCount);
    return new Promise((resolve, reject) => {
      const settle = ({ code, message = "The caller's answer could not be read." }: AnswerFrame, payload: string) => {
        questions.delete(name);
        if (code === "ask-unsupported") return resolve(askInPage(method, parameters, signal));
        const value = code === undefined ? parseJsonObject(payload, limits.jsonDepth) : undefined;
        if (value) resolve(value);
        else reject(new PagewireError("ask-failed", message));
      };
      signal.addEventListener("abort", () => reject(signal.reason as Error));
      const question = { method, text: JSON.stringify(parameters), settle };
      questions.set(name, question);
      ask(run, name, question);
    });
  }

  return {
    call: take,
    cancel(id, reason) {
      const run = runOf(id);
      if (run) return abort(run, "cancelled", reason);
      // The call may still come, out of order: it must not run then.
      const key = `id ${id}`;
      if (!memory.find(key)) memory.add(key, { id, fingerprint: "", at: date(), answer: failure("cancelled", reason) });
    },
    answer: (frame, payload) => runOf(frame.id)?.questions.get(frame.ask)?.settle(frame, payload),
    welcomed: (at) => lateness.reset(at),
    running: () => [...runs.keys()].map(({ id }) => id),
    save: memory.save,
  };
}

function failure(outcome: OutcomeName, message: string, ran: Ran = "no", code: string = outcome): Answer {
  return { frame: { type: "failure", outcome, ran, code, message }, payload: "" };
}

interface Given {
  readonly given: JsonObject;
  readonly environment: CallEnvironment;
}

function runIn(
  toolbox: LocalToolbox,
  { method, name }: CallFrame,
  { given, environment }: Given,
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

function answerOf({ ended = "cancelled", aborter }: Run, outcome: CallOutcome): Answer {
  switch (outcome.kind) {
    case "result":
      return { frame: { type: "result", isError: outcome.isError || undefined }, payload: outcome.payload };
    case "refused":
      return failure("rejected", outcome.message, "no", outcome.code);
    case "failed":
      return failure("tool-error", outcome.message, "yes", outcome.code);
    case "aborted":
      return failure(ended, messageOf(aborter.signal.reason), "maybe");
  }
}

function outcomeOf({ frame }: Answer): OutcomeName {
  return frame.type === "failure" ? frame.outcome : frame.isError ? "tool-error" : "ok";
}
