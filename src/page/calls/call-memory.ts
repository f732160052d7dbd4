// What this tab remembers of the calls it was given, so that none runs twice: across reconnects, reloads and hubs.
import { epochs, epochsMost, isJsonObject } from "../../wire/index.ts";
import { failure, forgotten, parseAnswer } from "./answer.ts";
import type { Answer } from "./answer.ts";
import type { TabEnvironment, TabStorage } from "../browser/environment.ts";

export interface RememberedCall {
  /** The id under which the hub asked for it last. */
  id: string;
  /** The same key with another fingerprint is another call; empty where that cannot be told. */
  fingerprint: string;
  /** Missing while the call runs. */
  answer?: Answer;
  /** When it came, in milliseconds since 1970. */
  readonly at: number;
  /** What is said in it is not to be written down. */
  readonly isSecret?: boolean;
}

export interface CallMemory {
  /**
   * The epochs whose calls are all here, as far as they are not too old. The last began when this document was loaded
   * or the memory was saved last.
   */
  readonly epochs: readonly string[];
  find(key: string): RememberedCall | undefined;
  add(key: string, call: RememberedCall): void;
  answered(call: RememberedCall, answer: Answer): void;
  /** From now on a call is found by another key, unless it was forgotten. */
  rename(call: RememberedCall, key: string, next: string): void;
  /**
   * Writes everything down, and ends the epoch: calls that come later are not in what was written. To be called before
   * scripts stop.
   */
  save(): void;
}

/** How much is remembered, and how many milliseconds long. */
export const callsMost = 1000;
export const charactersMost = 16_000_000;
export const savedCharactersMost = 1_000_000;
export const memoryTime = 600_000;

const storageName = "calls";

/** What is left of a call whose texts are too large to be kept, or secret: it ran, and never runs again. */
const withoutText = {
  fingerprint: "",
  answer: failure({
    outcome: "expired",
    code: "key-expired",
    message: "The call ran before, and its outcome is not kept.",
    ran: "yes",
  }),
};

type MemoryPowers = Pick<TabEnvironment, "date" | "newId" | "storage">;

export function createCallMemory({ date, newId, storage }: MemoryPowers): CallMemory {
  const saved = load(storage);
  const calls = new Map(saved.flatMap(parseEntry));
  let characters = 0;
  for (const call of calls.values()) characters += sizeOf(call);

  function forget(): void {
    const oldest = date() - memoryTime;
    for (const [key, call] of calls) {
      const isTooOld = call.at <= oldest || calls.size > callsMost;
      if (!isTooOld && characters <= charactersMost) return;
      // A call that runs is never forgotten.
      if (!call.answer) continue;
      characters -= sizeOf(call);
      if (isTooOld) calls.delete(key);
      else characters += sizeOf(Object.assign(call, withoutText));
    }
  }

  const withNext = (earlier: readonly string[]) => [...earlier, newId()].slice(-epochsMost);
  const memory = {
    epochs: withNext(epochs(saved[0]) ? saved[0] : []),
    find: (key: string) => calls.get(key),
    add(key: string, call: RememberedCall) {
      calls.set(key, call);
      characters += sizeOf(call);
      forget();
    },
    answered(call: RememberedCall, answer: Answer) {
      characters -= sizeOf(call);
      call.answer = answer;
      characters += sizeOf(call);
      forget();
    },
    rename(call: RememberedCall, key: string, next: string) {
      if (calls.delete(key)) calls.set(next, call);
    },
    save() {
      let room = savedCharactersMost;
      const newestFirst = [...calls].reverse().map(([key, call]) => {
        if (call.isSecret && call.answer?.frame.type !== "result") return [key, { ...call, fingerprint: "" }];
        const isKept = !call.isSecret && sizeOf(call) <= room;
        if (isKept) room -= sizeOf(call);
        return [key, isKept ? call : { ...call, ...withoutText }];
      });
      storage.set(storageName, JSON.stringify([memory.epochs, ...newestFirst.reverse()]));
      memory.epochs = withNext(memory.epochs);
    },
  };
  return memory;
}

function sizeOf({ fingerprint, answer }: RememberedCall): number {
  return fingerprint.length + (answer?.payload.length ?? 0);
}

/** What was saved: the epochs that it holds, and the calls. */
function load(storage: TabStorage): readonly unknown[] {
  try {
    return [...(JSON.parse(storage.get(storageName) ?? "[]") as Iterable<unknown>)];
  } catch {
    return [];
  }
}

/** Other scripts of the page's origin can write to its storage: what has another form is left out. */
function parseEntry(entry: unknown): (readonly [string, RememberedCall])[] {
  if (!Array.isArray(entry) || typeof entry[0] !== "string" || !isJsonObject(entry[1])) return [];
  const { id, fingerprint, at, answer: saved } = entry[1];
  if (typeof id !== "string" || typeof fingerprint !== "string" || typeof at !== "number") return [];
  const answer = saved === undefined ? forgotten : parseAnswer(saved);
  return answer ? [[entry[0], { id, fingerprint, at, answer }]] : [];
}
