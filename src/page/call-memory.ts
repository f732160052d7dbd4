// What this tab remembers of the calls it was given, so that none runs twice: across reconnects, reloads and hubs.
import { isJsonObject } from "../wire/index.ts";
import { failure, parseAnswer } from "./answer.ts";
import type { Answer } from "./answer.ts";
import type { TabStorage } from "./environment.ts";

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
  find(key: string): RememberedCall | undefined;
  add(key: string, call: RememberedCall): void;
  answered(call: RememberedCall, answer: Answer): void;
  /** From now on a call is found by another key. */
  rename(key: string, next: string): void;
  /** Writes everything down; to be called before scripts stop. */
  save(): void;
}

/** How much is remembered, and how many milliseconds long. */
export const memoryLimits = { calls: 1000, characters: 16_000_000, savedCharacters: 1_000_000, time: 600_000 };

const storageName = "calls";

const interrupted = failure({
  outcome: "outcome-unknown",
  code: "outcome-unknown",
  message: "The page was reloaded while the call ran.",
  ran: "maybe",
});

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

export function createCallMemory(storage: TabStorage, date: () => number): CallMemory {
  const calls = new Map(load(storage));
  let characters = 0;
  for (const call of calls.values()) characters += sizeOf(call);

  function forget(): void {
    const oldest = date() - memoryLimits.time;
    for (const [key, call] of calls) {
      const isTooOld = call.at <= oldest || calls.size > memoryLimits.calls;
      if (!isTooOld && characters <= memoryLimits.characters) return;
      // A call that runs is never forgotten.
      if (!call.answer) continue;
      characters -= sizeOf(call);
      if (isTooOld) calls.delete(key);
      else characters += sizeOf(Object.assign(call, withoutText));
    }
  }

  return {
    find: (key) => calls.get(key),
    add(key, call) {
      calls.set(key, call);
      characters += sizeOf(call);
      forget();
    },
    answered(call, answer) {
      characters -= sizeOf(call);
      call.answer = answer;
      characters += sizeOf(call);
      forget();
    },
    rename(key, next) {
      const call = calls.get(key);
      if (call && calls.delete(key)) calls.set(next, call);
    },
    save() {
      let room = memoryLimits.savedCharacters;
      const newestFirst = [...calls].reverse().map(([key, call]) => {
        if (call.isSecret && call.answer?.frame.type !== "result") return [key, { ...call, fingerprint: "" }];
        const isKept = !call.isSecret && sizeOf(call) <= room;
        if (isKept) room -= sizeOf(call);
        return [key, isKept ? call : { ...call, ...withoutText }];
      });
      storage.set(storageName, JSON.stringify(newestFirst.reverse()));
    },
  };
}

function sizeOf({ fingerprint, answer }: RememberedCall): number {
  return fingerprint.length + (answer?.payload.length ?? 0);
}

/** Other scripts of the page's origin can write to its storage: what has another form is left out. */
function load(storage: TabStorage): readonly (readonly [string, RememberedCall])[] {
  try {
    const saved: unknown = JSON.parse(storage.get(storageName) ?? "[]");
    return Array.isArray(saved) ? saved.flatMap(parseEntry) : [];
  } catch {
    return [];
  }
}

function parseEntry(entry: unknown): (readonly [string, RememberedCall])[] {
  if (!Array.isArray(entry) || typeof entry[0] !== "string" || !isJsonObject(entry[1])) return [];
  const { id, fingerprint, at, answer: saved } = entry[1];
  if (typeof id !== "string" || typeof fingerprint !== "string" || typeof at !== "number") return [];
  const answer = saved === undefined ? interrupted : parseAnswer(saved);
  return answer ? [[entry[0], { id, fingerprint, at, answer }]] : [];
}
