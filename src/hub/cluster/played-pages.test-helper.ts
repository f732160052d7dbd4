// Pages that play by the rules, with a memory that outlives their connections: for hubs of one process.
import type { FakeClock } from "../../testing/index.ts";
import type { FrameToPage } from "../../wire/index.ts";
import { plain } from "./memory-hubs.test-helper.ts";
import type { MemoryHub, MemoryPage } from "./memory-hubs.test-helper.ts";

export interface PlayedPage {
  /** How often it began each call, by the call's `n`. */
  readonly runs: ReadonlyMap<string, number>;
  /** Connects at a hub; what it did elsewhere is remembered. */
  at(hub: MemoryHub, focused?: boolean): MemoryPage;
}

interface Run {
  readonly n: string;
  /** Sends what became of it, once it has ended. */
  answer?: () => void;
}

/** Each call has the argument `n`, and ends after `for` milliseconds. */
export function createPlayedPage(clock: FakeClock, tabId: string): PlayedPage {
  const runs = new Map<string, number>();
  const known = new Map<string, Run>();
  let current: MemoryPage | undefined;

  const running = () => [...known].flatMap(([id, { answer }]) => (answer ? [] : id));

  function end(run: Run, answer: () => void): void {
    if (run.answer) return;
    run.answer = answer;
    answer();
  }

  function begin(frame: Extract<FrameToPage, { type: "call" }>, payload: string): void {
    const { id, resume } = frame;
    const before = known.get(id);
    if (before?.answer) return before.answer();
    if (before) return current?.say({ type: "ack", id });
    const unknown = { outcome: "outcome-unknown", code: "outcome-unknown", message: "", ran: "maybe" } as const;
    if (resume) return current?.say({ type: "failure", id, ...unknown });
    const { n, for: time } = JSON.parse(payload) as { n: string; for: number };
    const run: Run = { n };
    known.set(id, run);
    runs.set(n, (runs.get(n) ?? 0) + 1);
    current?.say({ type: "ack", id });
    current?.say({ type: "progress", id, progress: 1 });
    clock.after(time, () => end(run, () => current?.say({ type: "result", id }, plain)));
  }

  function take(frame: FrameToPage, payload: string): void {
    if (frame.type === "call") begin(frame, payload);
    const cancelled = frame.type === "cancel" ? known.get(frame.id) : undefined;
    if (frame.type !== "cancel" || !cancelled) return;
    const { id } = frame;
    const failure = { outcome: "cancelled", code: "cancelled", message: "", ran: "maybe" } as const;
    end(cancelled, () => current?.say({ type: "failure", id, ...failure }));
  }

  return {
    runs,
    at(hub, focused = false) {
      current = undefined;
      // Its thread is another.
      const onFrame = (frame: FrameToPage, payload: string) =>
        queueMicrotask(() => current === page && take(frame, payload));
      const page = hub.page(tabId, { running: running(), focused, onFrame });
      return (current = page);
    },
  };
}
