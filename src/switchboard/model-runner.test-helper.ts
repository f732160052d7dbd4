// The calls of a simulated page. It follows the page's side of the contract: ack before running, run once per key or id,
// run nothing late, and send one answer, again if asked again.
import type { FrameFromPage, FrameToPage } from "../wire/index.ts";
import type { Run } from "./model-history.test-helper.ts";
import type { World } from "./model-world.test-helper.ts";

type CallFrame = Extract<FrameToPage, { type: "call" }>;
type Answer = { readonly frame: Extract<FrameFromPage, { type: "result" | "failure" }>; readonly payload: string };

interface Remembered {
  id: string;
  readonly fingerprint: string;
  answer?: Answer;
}

/** A page's memory of its calls. */
export interface Memory {
  /** By key or id. */
  readonly calls: Map<string, Remembered>;
  /** The epochs with complete memory; the last began at its load or its last save. */
  epochs: readonly string[];
}

export interface Runner {
  call(frame: CallFrame, payload: string): void;
  cancel(id: string): void;
  answer(id: string, payload: string): void;
  running(): readonly string[];
}

export interface RunnerOptions {
  readonly world: World;
  readonly memory: Memory;
  readonly place: () => Pick<Run, "tabId" | "principal" | "crashes" | "hub">;
  readonly say: (frame: FrameFromPage, payload?: string) => void;
  /** A timer that stops while the page does. */
  readonly later: (milliseconds: number, perform: () => void) => void;
}

interface Task {
  readonly remembered: Remembered;
  readonly run: Run;
  readonly isDeaf: boolean;
  question: string | undefined;
  /** How it ends once its work is done and its question is answered. */
  isDone: boolean;
  finish(): void;
  end(answer: Answer): void;
}

export function createRunner({ world, memory, place, say, later }: RunnerOptions): Runner {
  const { clock, history, planted } = world;
  const tasks = new Map<Remembered, Task>();
  const taskWith = (id: string) => [...tasks.values()].find(({ remembered }) => remembered.id === id);

  function call(frame: CallFrame, payload: string): void {
    const key = frame.key === undefined ? `id ${frame.id}` : `key ${frame.key}`;
    const known = planted === "dedupe off" ? undefined : memory.calls.get(key);
    if (known) return answerAgain(known, frame, payload);
    if (frame.resume) return refuse(frame.id, "outcome-unknown", "maybe");
    if (frame.epoch !== memory.epochs.at(-1)) return;
    const deadline = frame.at + frame.left;
    if (clock.now() >= deadline && planted !== "deadline ignored") return refuse(frame.id, "deadline-exceeded", "no");
    const remembered: Remembered = { id: frame.id, fingerprint: frame.key === undefined ? "" : payload };
    memory.calls.set(key, remembered);
    say({ type: "ack", id: frame.id });
    start(frame, remembered, { payload, deadline });
  }

  function answerAgain(known: Remembered, frame: CallFrame, payload: string): void {
    if (known.fingerprint !== payload && known.fingerprint !== "") return refuse(frame.id, "rejected", "no");
    known.id = frame.id;
    const task = tasks.get(known);
    if (known.answer) return say({ ...known.answer.frame, id: frame.id }, known.answer.payload);
    if (!task) return refuse(frame.id, "outcome-unknown", "maybe");
    say({ type: "ack", id: frame.id });
    ask(task);
  }

  function refuse(
    id: string,
    outcome: "outcome-unknown" | "rejected" | "deadline-exceeded",
    ran: "no" | "maybe",
  ): void {
    say({ type: "failure", id, outcome, ran, code: outcome, message: "" });
  }

  function start(frame: CallFrame, remembered: Remembered, given: { payload: string; deadline: number }): void {
    const { operation } = JSON.parse(given.payload) as { operation: string };
    const { time, end, words, isDeaf, asks } = world.behaviourOf(operation);
    const mark = `run-${history.runs.length}`;
    const run: Run = {
      ...place(),
      mark,
      operation,
      callId: frame.id,
      at: clock.now(),
      deadline: given.deadline,
      answers: [],
    };
    history.runs.push(run);
    const task: Task = {
      remembered,
      run,
      isDeaf,
      question: asks && frame.asks ? JSON.stringify({ operation }) : undefined,
      isDone: false,
      finish() {
        if (!task.isDone || task.question !== undefined) return;
        const payload = JSON.stringify({ operation, mark });
        task.end({ frame: { type: "result", id: frame.id, isError: end === "error" }, payload });
      },
      end(answer) {
        if (!tasks.delete(remembered)) return;
        remembered.answer = answer;
        say({ ...answer.frame, id: remembered.id }, answer.payload);
      },
    };
    tasks.set(remembered, task);
    ask(task);
    for (let word = 1; word <= words; word++) later(Math.floor((time * word) / (words + 1)), () => tell(task, word));
    later(time, () => {
      task.isDone = end !== "never";
      task.finish();
    });
    if (planted !== "deadline ignored") later(given.deadline - clock.now(), () => abort(task, "deadline-exceeded"));
  }

  function ask({ question, remembered }: Task): void {
    if (question !== undefined)
      say({ type: "ask", id: remembered.id, ask: "1", method: "elicitation/create" }, question);
  }

  function tell({ remembered, run: { operation } }: Task, word: number): void {
    if (!tasks.has(remembered)) return;
    say({ type: "progress", id: remembered.id, progress: word, message: operation });
    say({ type: "log", id: remembered.id, level: "info" }, JSON.stringify({ operation }));
  }

  function abort(task: Task, outcome: "cancelled" | "deadline-exceeded"): void {
    if (task.isDeaf) return;
    const frame = { type: "failure", id: task.run.callId, outcome, ran: "maybe", code: outcome, message: "" } as const;
    task.end({ frame, payload: "" });
  }

  return {
    call,
    cancel(id) {
      const task = taskWith(id);
      if (task) return abort(task, "cancelled");
      if (memory.calls.has(`id ${id}`)) return;
      const frame = { type: "failure", id, outcome: "cancelled", ran: "no", code: "cancelled", message: "" } as const;
      memory.calls.set(`id ${id}`, { id, fingerprint: "", answer: { frame, payload: "" } });
    },
    answer(id, payload) {
      const task = taskWith(id);
      if (task?.question === undefined) return;
      task.question = undefined;
      task.run.answers.push(payload);
      task.finish();
    },
    running: () => [...tasks.keys()].map(({ id }) => id),
  };
}
