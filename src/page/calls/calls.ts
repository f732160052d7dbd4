// Runs calls that arrive as frames: each at most once, before its deadline, with exactly one answer. It is independent
// of links: frames come in through `take` and go out through `send`.
import { createDeadlines } from "../../link/index.ts";
import type { CallEnvironment, CallInput, Calls as Callable } from "../../toolbox/index.ts";
import { nobodyAsked } from "../../toolbox/one-tool.ts";
import { PagewireError, isForTerminals, isJsonObject, parseJsonObject, terminalOnly } from "../../wire/index.ts";
import type { FrameFromPage, FrameToPage, JsonObject, PageLimits, Tool } from "../../wire/index.ts";
import {
  answerOf,
  failure,
  forgotten,
  keyConflict,
  notAllowed,
  notAnObject,
  outcomeOf,
  pageClosed,
  timeIsUp,
  tooLate,
} from "./answer.ts";
import type { Answer, Failure } from "./answer.ts";
import type { CallMemory, RememberedCall } from "./call-memory.ts";
import { dialogShown } from "../dialog/dialog.ts";
import type { Dialog } from "../dialog/dialog.ts";
import type { TabEnvironment } from "../browser/environment.ts";
import { createLateness } from "./lateness.ts";
import type { CallFollowers, PageCallEvent } from "../api/page.ts";
import type { Questions } from "./questions.ts";

type Frame<Type> = Extract<FrameToPage, { type: Type }>;

export interface Calls {
  /** Handles a frame about a call. */
  take(frame: FrameToPage, payload: string): void;
  /** Called when a hub welcomes this page. */
  welcomed(welcome: Pick<Frame<"welcome">, "at" | "tab">): void;
  /** The ids of running calls. */
  running(): readonly string[];
  /** Aborts running calls. */
  close(): void;
}

export interface CallsOptions {
  readonly toolbox: Callable & { get(name: string): Pick<Tool, "name" | "_meta"> | undefined };
  readonly environment: Pick<TabEnvironment, "clock" | "date">;
  readonly memory: CallMemory;
  readonly limits: PageLimits;
  readonly loadDialog: () => Promise<Dialog>;
  /** Sends a frame if there is a link. The hub asks again for a lost answer. */
  readonly send: (frame: FrameFromPage, payload?: string) => void;
  readonly followers?: CallFollowers;
}

/** A running call, which is also the environment that its toolbox needs. */
interface Run extends CallEnvironment {
  readonly call: RememberedCall;
  readonly frame: Frame<"call">;
  /** The hub's id of this tab when the call began. */
  readonly tab: string;
  readonly startedAt: number;
  isOver: boolean;
  stopTimer(): void;
  /** Created when the handler, or a dialog, first needs the signal. */
  aborter?: AbortController;
  /** Why it was aborted, once it was. */
  reason?: PagewireError;
  /** Loaded with the first question. */
  questions?: Promise<Questions>;
}

export function createCalls(options: CallsOptions): Calls {
  const { toolbox, limits, memory, send, followers } = options;
  const { clock, date } = options.environment;
  const lateness = createLateness(clock.now);
  const deadlines = createDeadlines(clock);
  const runs = new Map<RememberedCall, Run>();
  /** The hub's id of this tab. It differs for each principal, which keeps their calls apart. */
  let tab = "";

  const reply = (id: string, { frame, payload }: Answer) => send({ ...frame, id }, payload);
  const runOf = (id: string) => [...runs.values()].find((run) => run.call.id === id);
  const idKey = (id: string, of = tab) => `${of} id ${id}`;
  /** A run's questions, if it has any; those whose code could not be loaded have already failed. */
  const ifAsked = (run: Run | undefined, use: (questions: Questions) => void) =>
    void run?.questions?.then(use, () => {});

  function begin(frame: Frame<"call">, payload: string): void {
    const { id, key, method, name, at, resume, input, epoch } = frame;
    const left = frame.left - lateness.of(at);
    // Only a key can be reused with other arguments; an id cannot.
    const fingerprint = key === undefined ? "" : `${method}\n${name}\n${input ? "again " : ""}${payload}`;
    const ownKey = idKey(id);
    const memoryKey = key === undefined ? ownKey : `${tab} key ${key}`;
    const known = memory.find(memoryKey) ?? memory.find(ownKey);
    if (known) return beginAgain(known, id, fingerprint);
    if (resume) return reply(id, forgotten);
    // The sender did not know yet that a new epoch began, and will send the call again.
    if (epoch && epoch !== memory.epochs.at(-1)) return;
    if (left <= 0) return reply(id, tooLate);

    // Terminal-only tools may receive passwords. A tool that is already removed counts as one.
    const isSecret = method === "tools/call" && isForTerminals(toolbox.get(name) ?? { _meta: terminalOnly });
    const call: RememberedCall = { id, fingerprint, at: date(), isSecret };
    memory.add(memoryKey, call);
    send({ type: "ack", id });
    void execute(call, { ...frame, left }, payload);
  }

  function beginAgain(call: RememberedCall, id: string, fingerprint: string): void {
    if (call.fingerprint && call.fingerprint !== fingerprint) return reply(id, keyConflict);
    call.id = id;
    if (call.answer) return reply(id, call.answer);
    send({ type: "ack", id });
    ifAsked(runs.get(call), ({ repeat }) => repeat());
  }

  async function execute(call: RememberedCall, frame: Frame<"call">, payload: string): Promise<void> {
    const { method, name, left } = frame;
    const parsed = parsePayload(frame, payload, limits.jsonDepth);
    const run: Run = {
      call,
      frame,
      tab,
      startedAt: clock.now(),
      isOver: false,
      stopTimer: deadlines.after(left, () => abort(run, timeIsUp)),
      callId: frame.id,
      agent: frame.agent,
      get signal() {
        return signalOf(run);
      },
      deadline: date() + left,
      asks: frame.asks ?? [],
      rounds: frame.rounds ?? false,
      input: parsed?.input,
      trace: frame.trace,
      progress(progress, total, message) {
        send({ type: "progress", id: call.id, progress, total, message });
        tell(run, { event: "progress", progress, total });
      },
      log: (level, data, logger) => send({ type: "log", id: call.id, level, logger }, JSON.stringify(data)),
      async ask(method, parameters) {
        run.questions ??= import("./questions.ts")
          .catch(nobodyAsked)
          .then(({ createQuestions }) => createQuestions(run, options));
        return (await run.questions).ask(method, parameters);
      },
    };
    runs.set(call, run);
    if (followers?.all.size)
      tell(run, { event: "started", ...(call.isSecret ? {} : { arguments: parsed?.given ?? {} }) });
    if (!parsed) return end(run, notAnObject);
    if (frame.approve && !(await isAllowed(run, parsed.given))) return end(run, notAllowed);
    if (run.isOver) return;
    const outcome =
      method === "tools/call"
        ? toolbox.callTool(name, parsed.given, run)
        : method === "resources/read"
          ? toolbox.readResource(name, run)
          : method === "prompts/get"
            ? toolbox.getPrompt(name, parsed.given, run)
            : toolbox.complete(parsed.given, run);
    end(run, answerOf(await outcome, pageClosed));
  }

  /** If the dialog cannot be loaded, the call counts as not allowed. */
  function isAllowed(run: Run, given: JsonObject): Promise<boolean> {
    return import("./questions.ts").then(({ askToRun }) => askToRun(run, given, options)).catch(() => false);
  }

  function signalOf(run: Run): AbortSignal {
    if (run.aborter) return run.aborter.signal;
    const { signal } = (run.aborter = new AbortController());
    // However a tool opens a dialog, it passes the call's signal.
    signal.addEventListener(dialogShown, (event) =>
      run.log("notice", `The page waits for its user: ${String((event as CustomEvent).detail)}`),
    );
    if (run.reason) run.aborter.abort(run.reason);
    return signal;
  }

  /** Events use the id that the handler knows, even after another hub gave the call a new one. */
  function tell({ frame }: Run, event: Omit<PageCallEvent, "id" | "method" | "name" | "agent" | "agentVersion">): void {
    const { id, method, name, agent } = frame;
    followers?.tell({ ...event, id, method, name, agent: agent.name, agentVersion: agent.version });
  }

  /** Ends a call, once. Later output of its handler is dropped. */
  function end(run: Run, answer: Answer): void {
    if (run.isOver) return;
    const { call, frame, startedAt } = run;
    run.isOver = true;
    run.stopTimer();
    runs.delete(call);
    memory.answered(call, answer);
    // The next round of input comes under the same key, and a key whose call never ran may be used again. The same
    // frame must still not run twice.
    const isKeyFree = answer.frame.type === "result" ? answer.frame.inputRequired : answer.frame.ran === "no";
    if (isKeyFree && frame.key !== undefined) {
      memory.rename(call, `${run.tab} key ${frame.key}`, idKey(call.id, run.tab));
    }
    reply(call.id, answer);
    if (followers?.all.size)
      tell(run, { event: "ended", outcome: outcomeOf(answer), milliseconds: clock.now() - startedAt });
  }

  function abort(run: Run, abortion: Failure): void {
    run.reason = new PagewireError(abortion.code, abortion.message);
    end(run, failure(abortion));
    run.aborter?.abort(run.reason);
  }

  function cancel({ id, reason = "The call was cancelled." }: Frame<"cancel">): void {
    const cancelled = { outcome: "cancelled", code: "cancelled", message: reason } as const;
    const run = runOf(id);
    if (run) abort(run, { ...cancelled, ran: "maybe" });
    // The call may arrive after its cancel: it must not run then.
    else if (!memory.find(idKey(id)))
      memory.add(idKey(id), { id, fingerprint: "", at: date(), answer: failure(cancelled) });
  }

  return {
    take(frame, payload) {
      if (frame.type === "call") begin(frame, payload);
      else if (frame.type === "cancel") cancel(frame);
      else if (frame.type === "answer") ifAsked(runOf(frame.id), ({ answer }) => answer(frame, payload));
    },
    welcomed(welcome) {
      lateness.reset(welcome.at);
      tab = welcome.tab;
    },
    running: () => [...runs.keys()].map(({ id }) => id),
    close() {
      for (const run of runs.values()) abort(run, pageClosed);
      deadlines.rest();
    },
  };
}

/** Parses a call's arguments, and the caller's input where the call is another round; undefined if malformed. */
function parsePayload(
  { input }: Frame<"call">,
  payload: string,
  deepest: number,
): { readonly given: JsonObject; readonly input?: CallInput } | undefined {
  if (!input) {
    const given = payload ? parseJsonObject(payload, deepest) : {};
    return given && { given };
  }
  // One level deeper, because the arguments are wrapped here.
  const {
    arguments: given,
    inputResponses: responses = {},
    requestState: state,
  } = parseJsonObject(payload, deepest + 1) ?? {};
  if (!isJsonObject(given) || !isJsonObject(responses)) return undefined;
  if (state === undefined) return { given, input: { responses } };
  return typeof state === "string" ? { given, input: { responses, state } } : undefined;
}
