// Runs calls that arrive as frames: each at most once, before its deadline, with exactly one answer. It is independent
// of links: frames come in through `take` and go out through `send`.
import { createDeadlines } from "../../link/index.ts";
import type { CallInput, CallOutcome, Calls as Callable } from "../../toolbox/index.ts";
import { nobodyAsked } from "../../toolbox/one-tool.ts";
import { PagewireError, isForTerminals, terminalOnly } from "../../wire/index.ts";
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
import type { Dialog } from "../dialog/dialog.ts";
import type { TabEnvironment } from "../browser/environment.ts";
import { createLateness } from "./lateness.ts";
import type { CallFollowers, PageCallEvent } from "../api/page.ts";
import { ifAsked, parsePayload, signalOf } from "./run.ts";
import type { Run } from "./run.ts";

type Frame<Type> = Extract<FrameToPage, { type: Type }>;

type KnownTool = Pick<Tool, "name" | "description" | "annotations" | "_meta">;

export interface CallsOptions {
  readonly toolbox: Callable & { get(name: string): KnownTool | undefined };
  readonly environment: Pick<TabEnvironment, "clock" | "date">;
  readonly memory: CallMemory;
  readonly limits: PageLimits;
  readonly loadDialog: () => Promise<Dialog>;
  /** Sends a frame if there is a link. The hub asks again for a lost answer. */
  readonly send: (frame: FrameFromPage, payload?: string) => void;
  readonly followers?: CallFollowers;
}

export class Calls {
  readonly #options: CallsOptions;
  readonly #lateness: ReturnType<typeof createLateness>;
  readonly #deadlines: ReturnType<typeof createDeadlines>;
  readonly #runs = new Map<RememberedCall, Run>();
  /** The hub's id of this tab. It differs for each principal, which keeps their calls apart. */
  #tab = "";

  constructor(options: CallsOptions) {
    const { clock } = options.environment;
    this.#options = options;
    this.#lateness = createLateness(clock.now);
    this.#deadlines = createDeadlines(clock);
  }

  /** Handles a frame about a call. */
  take(frame: FrameToPage, payload: string): void {
    if (frame.type === "call") this.#begin(frame, payload);
    else if (frame.type === "cancel") this.#cancel(frame);
    else if (frame.type === "answer") ifAsked(this.#runOf(frame.id), ({ answer }) => answer(frame, payload));
  }

  /** Called when a hub welcomes this page. */
  welcomed(welcome: Pick<Frame<"welcome">, "at" | "tab">): void {
    this.#lateness.reset(welcome.at);
    this.#tab = welcome.tab;
  }

  /** The ids of running calls. */
  running(): readonly string[] {
    return [...this.#runs.keys()].map(({ id }) => id);
  }

  /** Aborts running calls. */
  close(): void {
    for (const run of this.#runs.values()) this.#abort(run, pageClosed);
    this.#deadlines.rest();
  }

  #begin(frame: Frame<"call">, payload: string): void {
    const { memory, send, toolbox, environment } = this.#options;
    const { id, key, method, name, at, resume, input, epoch } = frame;
    const left = frame.left - this.#lateness.of(at);
    // Only a key can be reused with other arguments; an id cannot.
    const fingerprint = key === undefined ? "" : `${method}\n${name}\n${input ? "again " : ""}${payload}`;
    const ownKey = idKey(this.#tab, id);
    const memoryKey = key === undefined ? ownKey : `${this.#tab} key ${key}`;
    const known = memory.find(memoryKey) ?? memory.find(ownKey);
    if (known) return this.#repeat(known, id, fingerprint);
    if (resume) return this.#reply(id, forgotten);
    // The sender did not know yet that a new epoch began, and will send the call again.
    if (epoch && epoch !== memory.epochs.at(-1)) return;
    if (left <= 0) return this.#reply(id, tooLate);

    // Terminal-only tools may receive passwords. A tool that is already removed counts as one.
    const isSecret = method === "tools/call" && isForTerminals(toolbox.get(name) ?? { _meta: terminalOnly });
    const call: RememberedCall = { id, fingerprint, at: environment.date(), isSecret };
    memory.add(memoryKey, call);
    send({ type: "ack", id });
    void this.#execute(call, { ...frame, left }, payload);
  }

  #repeat(call: RememberedCall, id: string, fingerprint: string): void {
    if (call.fingerprint && call.fingerprint !== fingerprint) return this.#reply(id, keyConflict);
    call.id = id;
    if (call.answer) return this.#reply(id, call.answer);
    this.#options.send({ type: "ack", id });
    ifAsked(this.#runs.get(call), ({ repeat }) => repeat());
  }

  async #execute(call: RememberedCall, frame: Frame<"call">, payload: string): Promise<void> {
    const { limits, followers } = this.#options;
    const parsed = parsePayload(frame, payload, limits.jsonDepth);
    const run = this.#createRun(call, frame, parsed?.input);
    this.#runs.set(call, run);
    if (followers?.all.size)
      this.#notify(run, { event: "started", ...(call.isSecret ? {} : { arguments: parsed?.given ?? {} }) });
    if (!parsed) return this.#end(run, notAnObject);
    if (frame.approve && !(await this.#isAllowed(run, parsed.given))) return this.#end(run, notAllowed);
    this.#end(run, answerOf(await this.#callToolbox(run, parsed.given), timeIsUp));
  }

  #createRun(call: RememberedCall, frame: Frame<"call">, input: CallInput | undefined): Run {
    const { environment, send } = this.#options;
    const run: Run = {
      call,
      frame,
      tab: this.#tab,
      startedAt: environment.clock.now(),
      isClosed: false,
      get isOver() {
        return run.isClosed || environment.date() >= run.deadline;
      },
      stopTimer: this.#deadlines.after(frame.left, () => this.#abort(run, timeIsUp)),
      callId: frame.id,
      agent: frame.agent,
      get signal() {
        return signalOf(run);
      },
      deadline: environment.date() + frame.left,
      asks: frame.asks ?? [],
      rounds: frame.rounds ?? false,
      input,
      trace: frame.trace,
      progress: (progress, total, message) => {
        send({ type: "progress", id: call.id, progress, total, message });
        this.#notify(run, { event: "progress", progress, total });
      },
      log: (level, data, logger) => send({ type: "log", id: call.id, level, logger }, JSON.stringify(data)),
      ask: async (method, parameters) => {
        run.questions ??= import("./questions.ts")
          .catch(nobodyAsked)
          .then(({ createQuestions }) => createQuestions(run, this.#options));
        return (await run.questions).ask(method, parameters);
      },
    };
    return run;
  }

  #callToolbox(run: Run, given: JsonObject): Promise<CallOutcome> {
    const { toolbox } = this.#options;
    const { method, name } = run.frame;
    if (method === "tools/call") return toolbox.callTool(name, given, run);
    if (method === "resources/read") return toolbox.readResource(name, run);
    return method === "prompts/get" ? toolbox.getPrompt(name, given, run) : toolbox.complete(given, run);
  }

  /** If the dialog cannot be loaded, the call counts as not allowed. */
  #isAllowed(run: Run, given: JsonObject): Promise<boolean> {
    return import("./questions.ts").then(({ askToRun }) => askToRun(run, given, this.#options)).catch(() => false);
  }

  /** Events use the id that the handler knows, even after another hub gave the call a new one. */
  #notify({ frame }: Run, event: Omit<PageCallEvent, "id" | "method" | "name" | "agent" | "agentVersion">): void {
    const { id, method, name, agent } = frame;
    this.#options.followers?.tell({ ...event, id, method, name, agent: agent.name, agentVersion: agent.version });
  }

  /** Ends a call, once. Later output of its handler is dropped. */
  #end(run: Run, answer: Answer): void {
    if (run.isClosed) return;
    const { memory, environment, followers } = this.#options;
    const { call, frame, startedAt } = run;
    run.isClosed = true;
    run.stopTimer();
    this.#runs.delete(call);
    memory.answered(call, answer);
    // The next round of input comes under the same key, and a key whose call never ran may be used again. The same
    // frame must still not run twice.
    const isKeyFree = answer.frame.type === "result" ? answer.frame.inputRequired : answer.frame.ran === "no";
    if (isKeyFree && frame.key !== undefined) {
      memory.rename(call, `${run.tab} key ${frame.key}`, idKey(run.tab, call.id));
    }
    this.#reply(call.id, answer);
    if (followers?.all.size) {
      const milliseconds = environment.clock.now() - startedAt;
      this.#notify(run, { event: "ended", outcome: outcomeOf(answer), milliseconds });
    }
  }

  #abort(run: Run, abortion: Failure): void {
    run.reason = new PagewireError(abortion.code, abortion.message);
    this.#end(run, failure(abortion));
    run.aborter?.abort(run.reason);
  }

  #cancel({ id, reason = "The call was cancelled." }: Frame<"cancel">): void {
    const { memory, environment } = this.#options;
    const cancelled = { outcome: "cancelled", code: "cancelled", message: reason } as const;
    const run = this.#runOf(id);
    const key = idKey(this.#tab, id);
    if (run) this.#abort(run, { ...cancelled, ran: "maybe" });
    // The call may arrive after its cancel: it must not run then.
    else if (!memory.find(key))
      memory.add(key, { id, fingerprint: "", at: environment.date(), answer: failure(cancelled) });
  }

  #reply(id: string, { frame, payload }: Answer): void {
    this.#options.send({ ...frame, id }, payload);
  }

  #runOf(id: string): Run | undefined {
    return [...this.#runs.values()].find((run) => run.call.id === id);
  }
}

function idKey(tab: string, id: string): string {
  return `${tab} id ${id}`;
}
