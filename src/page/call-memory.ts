// What this tab remembers of the calls it was given, so that none runs twice: across reconnects, reloads and hubs.
import type { FrameFromPage } from "../wire/index.ts";
import { isJsonObject } from "../wire/index.ts";
import type { TabStorage } from "./environment.ts";

type WithoutId<Frame> = Frame extends unknown ? Omit<Frame, "id"> : never;

/** The last word on a call; its id is that of whoever asks. */
export interface Answer {
  readonly frame: WithoutId<Extract<FrameFromPage, { type: "result" | "failure" }>>;
  readonly payload: string;
}

export interface RememberedCall {
  /** The id under which the hub asked for it last. */
  id: string;
  /** The same key with another fingerprint is another call. */
  readonly fingerprint: string;
  /** Missing while the call runs, or when a reload interrupted it. */
  answer?: Answer;
  readonly at: number;
}

export interface CallMemory {
  find(key: string): RememberedCall | undefined;
  add(key: string, call: RememberedCall): void;
  answered(call: RememberedCall, answer: Answer): void;
  /** Writes everything down; to be called before scripts stop. */
  save(): void;
}

/** How much is remembered, and how long. */
export const memoryLimits = { calls: 1000, characters: 4_000_000, savedCharacters: 1_000_000, time: 600_000 };

const storageName = "pagewire:calls";

export function createCallMemory(storage: TabStorage, date: () => number): CallMemory {
  const calls = new Map<string, RememberedCall>(load(storage));
  let characters = 0;
  for (const call of calls.values()) characters += sizeOf(call);

  const forgetOld = () => {
    const oldest = date() - memoryLimits.time;
    for (const [key, call] of calls) {
      if (call.at > oldest && calls.size <= memoryLimits.calls && characters <= memoryLimits.characters) return;
      if (call.answer) {
        calls.delete(key);
        characters -= sizeOf(call);
      }
    }
  };

  return {
    find: (key) => calls.get(key),
    add(key, call) {
      calls.set(key, call);
      forgetOld();
    },
    answered(call, answer) {
      call.answer = answer;
      characters += answer.payload.length;
      forgetOld();
    },
    save() {
      let room = memoryLimits.savedCharacters;
      const saved: (readonly [string, RememberedCall])[] = [];
      for (const [key, call] of [...calls].reverse()) {
        room -= sizeOf(call) + call.fingerprint.length + 200;
        if (room < 0) break;
        saved.push([key, call]);
      }
      storage.set(storageName, JSON.stringify(saved.reverse()));
    },
  };
}

function sizeOf({ answer }: RememberedCall): number {
  return answer?.payload.length ?? 0;
}

/** Other scripts of the page's origin can write to its storage: what has another form is left out. */
function load(storage: TabStorage): [string, RememberedCall][] {
  try {
    const saved: unknown = JSON.parse(storage.get(storageName) ?? "[]");
    return Array.isArray(saved) ? saved.filter(isSaved) : [];
  } catch {
    return [];
  }
}

function isSaved(entry: unknown): entry is [string, RememberedCall] {
  if (!Array.isArray(entry) || typeof entry[0] !== "string" || !isJsonObject(entry[1])) return false;
  const { id, fingerprint, at, answer } = entry[1];
  if (typeof id !== "string" || typeof fingerprint !== "string" || typeof at !== "number") return false;
  return (
    answer === undefined ||
    (isJsonObject(answer) && isJsonObject(answer["frame"]) && typeof answer["payload"] === "string")
  );
}
