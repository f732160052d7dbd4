// The observable state of an AiCore: its values, and an event for each change.
import type { AiAgentCoreValues, AiToolCallState } from "./types.ts";

export interface CoreValues extends AiAgentCoreValues {
  reasoning: string;
  object: unknown;
  toolCalls: AiToolCallState[];
}

export const noCalls: AiToolCallState[] = [];

const first: Readonly<CoreValues> = {
  content: "",
  messages: [],
  usage: null,
  loading: false,
  streaming: false,
  error: null,
  // Peers that know only `AiCore.wcBindable` do without these.
  reasoning: "",
  object: null,
  toolCalls: noCalls,
};

export const properties = (Object.keys(first) as (keyof CoreValues)[]).map((name) => ({ name, event: eventOf(name) }));

export interface CoreState {
  readonly values: Readonly<CoreValues>;
  /** Sets these values, and dispatches events for those that differ. */
  update(changes: Partial<CoreValues>): void;
  /** Sets the values that `view` returns by the next frame or update. */
  later(view: () => Partial<CoreValues>): void;
  dispatch(event: string, detail: unknown): void;
}

export function createCoreState(target: EventTarget): CoreState {
  const values = { ...first };
  const changed = new Set<keyof CoreValues>();
  let pending: (() => Partial<CoreValues>) | undefined;
  const frames = createFrames(() => update({}));

  function update(changes: Partial<CoreValues>): void {
    frames.cancel();
    const view = pending;
    pending = undefined;
    for (const patch of [view?.() ?? {}, changes]) {
      for (const name of Object.keys(patch) as (keyof CoreValues)[]) {
        if (patch[name] !== values[name]) changed.add(name);
      }
      Object.assign(values, patch);
    }
    // All values are set before the first event; a listener may change them again.
    for (const name of changed) {
      changed.delete(name);
      dispatch(eventOf(name), copy(values[name]));
    }
  }

  function dispatch(type: string, detail: unknown): void {
    target.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
  }

  return {
    values,
    update,
    dispatch,
    later(view) {
      pending = view;
      frames.ask();
    },
  };
}

/** A deep copy of plain data; errors are not copied. */
export function copy<Value>(value: Value): Value;
export function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null || value instanceof Error) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copy(field)]));
}

function eventOf(name: keyof CoreValues): string {
  if (name === "error") return "ai-agent:error";
  return `ai-agent:${name === "toolCalls" ? "tool-calls" : name}-changed`;
}

interface Screen {
  requestAnimationFrame?(run: () => void): number;
  cancelAnimationFrame?(frame: number): void;
}

interface Frames {
  /** Runs soon; repeated requests before that run it once. */
  ask(): void;
  /** Cancels the pending run. */
  cancel(): void;
}

/**
 * Gathers changes into one run for each frame of the screen. A page that is not shown has none: then a timer does it.
 */
export function createFrames(run: () => void): Frames {
  const screen = globalThis as Screen;
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function cancel(): void {
    clearTimeout(timer);
    timer = undefined;
    if (frame !== undefined) screen.cancelAnimationFrame?.(frame);
    frame = undefined;
  }

  function fire(): void {
    cancel();
    run();
  }

  return {
    cancel,
    ask() {
      if (timer !== undefined) return;
      frame = screen.requestAnimationFrame?.(fire);
      timer = setTimeout(fire, frame === undefined ? 16 : 100);
    },
  };
}
