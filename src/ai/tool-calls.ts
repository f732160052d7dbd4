// All calls of one send, as they are shown: those that stream in, those that run, those that are done.
import { addUsage } from "./add-usage.ts";
import type { Answer } from "./answer.ts";
import type { CoreState, CoreValues } from "./core-state.ts";
import { newId } from "./messages.ts";
import type { AiToolCallDelta } from "./provider.ts";
import type { AiToolCallState } from "./types.ts";

export interface ToolCalls {
  /** The calls of the round that is on. */
  readonly current: readonly AiToolCallState[];
  /** Another round begins. Gives what is shown of its answer beside the text. */
  begin(nameOf: (name: string) => string): (answer: Answer) => Partial<CoreValues>;
  /** One of them has changed. */
  show(): void;
  /** What changes when none of them goes on. */
  giveUp(): Partial<CoreValues>;
}

export function createToolCalls(state: CoreState): ToolCalls {
  let earlier: readonly AiToolCallState[] = [];
  let current: readonly AiToolCallState[] = [];
  const all = () => ({ toolCalls: [...earlier, ...current] });
  return {
    get current() {
      return current;
    },
    begin(nameOf) {
      earlier = [...earlier, ...current];
      current = [];
      const spent = state.values.usage;
      let { usage: used } = state.values;
      let sum = spent;
      let seen = 0;
      const ids = { own: `call_${newId()}`, taken: earlier.map(({ id }) => id) };
      return ({ usage, deltas }) => {
        if (usage !== used) sum = addUsage(spent, usage);
        used = usage;
        const hasMore = deltas.length > seen;
        seen = deltas.length;
        if (hasMore) current = mergeCalls(deltas, nameOf, ids);
        return { usage: sum, ...(hasMore && all()) };
      };
    },
    show: () => state.update(all()),
    giveUp() {
      const open = [...earlier, ...current].filter(({ result }) => result === undefined);
      for (const call of open) call.status = "failed";
      return open.length > 0 ? all() : {};
    },
  };
}

/** The calls that the deltas are parts of, each with an id that no other has. */
function mergeCalls(
  deltas: readonly AiToolCallDelta[],
  nameOf: (name: string) => string,
  ids: { readonly own: string; readonly taken: readonly string[] },
): AiToolCallState[] {
  const calls = new Map<number, AiToolCallState>();
  for (const { index, id, name, argumentsDelta = "", arguments: whole } of deltas) {
    const call = calls.get(index) ?? { id: "", name: "", arguments: "", status: "streaming" };
    calls.set(index, call);
    if (id) call.id = id;
    if (name) call.name = nameOf(name);
    call.arguments = whole || call.arguments + argumentsDelta;
  }
  const taken = new Set(ids.taken);
  for (const [index, call] of calls) {
    if (!call.id || taken.has(call.id)) call.id = `${ids.own}_${index}`;
    taken.add(call.id);
  }
  return [...calls.values()];
}
