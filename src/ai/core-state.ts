// What can be seen of an AiCore: its values, and an event for each change. Knows nothing of how they come about.
import { createFrames } from "./frames.ts";
import type { AiAgentCoreValues, AiToolCallState } from "./types.ts";

export interface CoreValues extends AiAgentCoreValues {
  reasoning: string;
  object: unknown;
  toolCalls: AiToolCallState[];
}

interface Property {
  readonly name: keyof CoreValues;
  readonly event: string;
}

export const coreProperties: readonly Property[] = [
  property("content"),
  property("messages"),
  property("usage"),
  property("loading"),
  property("streaming"),
  property("error", "error"),
];

export const extraProperties: readonly Property[] = [
  property("reasoning"),
  property("object"),
  property("toolCalls", "tool-calls-changed"),
];

const events = new Map([...coreProperties, ...extraProperties].map(({ name, event }) => [name, event]));

export const noCalls: AiToolCallState[] = [];

export interface CoreState {
  readonly values: Readonly<CoreValues>;
  /** Takes these values, and tells of those that differ. */
  update(changes: Partial<CoreValues>): void;
  /** Takes what `view` says then, with the next frame or update. */
  later(view: () => Partial<CoreValues>): void;
  dispatch(event: string, detail: unknown): void;
}

export function createCoreState(target: EventTarget): CoreState {
  const values: CoreValues = {
    content: "",
    messages: [],
    usage: null,
    loading: false,
    streaming: false,
    error: null,
    reasoning: "",
    object: null,
    toolCalls: noCalls,
  };
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
    // All values are there before the first listener hears of one; a listener may change them again.
    for (const name of changed) {
      changed.delete(name);
      dispatch(events.get(name) ?? "", copy(values[name]));
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

/** A deep copy of plain data; an error is what it is. */
export function copy<Value>(value: Value): Value;
export function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null || value instanceof Error) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copy(field)]));
}

function property(name: keyof CoreValues, event = `${name}-changed`): Property {
  return { name, event: `ai-agent:${event}` };
}
