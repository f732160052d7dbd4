// Remembers this tab's calls, so that none runs twice: across reconnects, reloads and hubs.
import { epochs, epochsMost, isJsonObject } from "../../wire/index.ts";
import { failure, forgotten, parseAnswer } from "./answer.ts";
import type { Answer } from "./answer.ts";
import type { TabEnvironment, TabStorage } from "../browser/environment.ts";

export interface RememberedCall {
  /** The id in the hub's last request. */
  id: string;
  /** A reused key with another fingerprint is a conflict. Empty if unknown. */
  fingerprint: string;
  /** Missing while the call runs. */
  answer?: Answer;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
  /** Its arguments and result must not be stored. */
  readonly isSecret?: boolean;
}

export interface CallMemory {
  /**
   * The epochs whose calls are remembered completely, except for expired ones. The last one began when this document was
   * loaded or the memory was last saved.
   */
  readonly epochs: readonly string[];
  find(key: string): RememberedCall | undefined;
  add(key: string, call: RememberedCall): void;
  answered(call: RememberedCall, answer: Answer): void;
  /** Moves a call to another key, unless it was forgotten. */
  rename(call: RememberedCall, key: string, next: string): void;
  /**
   * Stores everything and ends the epoch, because later calls are not in the stored copy. Call it before scripts stop.
   */
  save(): void;
}

/** Limits of the memory; the time is in milliseconds. */
export const callsMost = 1000;
export const charactersMost = 16_000_000;
export const savedCharactersMost = 1_000_000;
export const memoryTime = 600_000;

const storageName = "calls";

/** Replaces the text of calls that are too large or secret to store: only the fact that they ran remains. */
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
      // Never forget a running call.
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

function load(storage: TabStorage): readonly unknown[] {
  try {
    return [...(JSON.parse(storage.get(storageName) ?? "[]") as Iterable<unknown>)];
  } catch {
    return [];
  }
}

/** Skips malformed entries: other scripts of the page's origin can write to its storage. */
function parseEntry(entry: unknown): (readonly [string, RememberedCall])[] {
  if (!Array.isArray(entry) || typeof entry[0] !== "string" || !isJsonObject(entry[1])) return [];
  const { id, fingerprint, at, answer: saved } = entry[1];
  if (typeof id !== "string" || typeof fingerprint !== "string" || typeof at !== "number") return [];
  const answer = saved === undefined ? forgotten : parseAnswer(saved);
  return answer ? [[entry[0], { id, fingerprint, at, answer }]] : [];
}
