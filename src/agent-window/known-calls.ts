// Which calls ran, so that none runs twice: also across a reload of this page, for which their ids are written down. What
// was running then cannot be known, and what was done was told to the window of before. A page that crashes may not have
// written the last ids; an agent of ours says of a call that it sends once more that it does.
import type { Clock } from "../link/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { BridgeStorage } from "./bridge-environment.ts";
import { createLateWrite } from "./late-write.ts";
import { failed } from "./run-tool.ts";
import type { Answered } from "./run-tool.ts";

export interface KnownCall {
  /** The tool and its arguments; undefined for a call of the document before. */
  readonly fingerprint: string | undefined;
  readonly at: number;
  /** Missing while it runs. */
  answered?: Answered;
}

export interface KnownCalls {
  find(id: string): KnownCall | undefined;
  /** Remembers a call that is about to run. */
  add(id: string, fingerprint: string): KnownCall;
  answered(call: KnownCall, answered: Answered): void;
  /** Writes the ids down, which otherwise waits a moment: the page goes. */
  save(): void;
}

interface KnownCallsOptions {
  readonly storage: Pick<BridgeStorage, "get" | "set">;
  readonly clock: Clock;
  readonly date: () => number;
  readonly limits: { readonly knownCalls: number; readonly knownTime: number; readonly outcomeCharacters: number };
}

const key = "pagewire-agent-calls";

const interrupted = failed(
  new PagewireError(
    "outcome-unknown",
    "The page was reloaded after it took this call, and does not know how it ended.",
  ),
);
const dropped = failed(new PagewireError("key-expired", "The call ran before, and its outcome is no longer kept."));

export function createKnownCalls({ storage, clock, date, limits }: KnownCallsOptions): KnownCalls {
  const calls = new Map<string, KnownCall>();
  let characters = 0;

  const lateWrite = createLateWrite(clock, write);

  const oldestFirst = read().sort(([, one], [, other]) => one - other);
  for (const [id, at] of oldestFirst) calls.set(id, { fingerprint: undefined, at, answered: interrupted });
  forget();

  function read(): StoredCall[] {
    return readStored(storage.get(key));
  }

  /** Another bridge of this tab may have written as well. */
  function write(): void {
    const oldest = date() - limits.knownTime;
    const others = read().filter(([id, at]) => at > oldest && !calls.has(id));
    const own = [...calls].map(([id, { at }]): StoredCall => [id, at]);
    storage.set(key, JSON.stringify([...others.slice(-limits.knownCalls), ...own]));
  }

  function forget(): void {
    const oldest = date() - limits.knownTime;
    for (const [id, call] of calls) {
      const isTooOld = call.at <= oldest || calls.size > limits.knownCalls;
      if (!isTooOld && characters <= limits.outcomeCharacters) return;
      // A call that runs is never forgotten.
      if (!call.answered) continue;
      characters -= sizeOf(call);
      if (isTooOld) calls.delete(id);
      else calls.set(id, { ...call, fingerprint: undefined, answered: dropped });
    }
  }

  return {
    find: (id) => calls.get(id),
    add(id, fingerprint) {
      const call: KnownCall = { fingerprint, at: date() };
      calls.set(id, call);
      lateWrite.soon();
      characters += sizeOf(call);
      forget();
      return call;
    },
    answered(call, answered) {
      characters -= sizeOf(call);
      call.answered = answered;
      characters += sizeOf(call);
      forget();
    },
    save: lateWrite.now,
  };
}

/** The id of a call, and when it came. */
type StoredCall = readonly [id: string, at: number];

function readStored(text: string | null | undefined): StoredCall[] {
  try {
    const stored: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(stored) ? stored.filter(isStoredCall) : [];
  } catch {
    return [];
  }
}

function isStoredCall(entry: unknown): entry is StoredCall {
  return Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "number";
}

function sizeOf({ fingerprint = "", answered }: KnownCall): number {
  return fingerprint.length + (answered === dropped || answered === interrupted ? 0 : (answered?.characters ?? 0));
}
