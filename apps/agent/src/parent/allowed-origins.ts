import type { Clock } from "pagewire/link";
import { isJsonObject } from "pagewire/wire";
import type { Session } from "../session/session.ts";

/** The origins whose pages may be the parent, as the hub says. */
export interface AllowedOrigins {
  readonly current: readonly string[];
  /** Asks the hub soon, and again: somebody is about to allow one. */
  hurry(isHurried: boolean): void;
  close(): void;
}

const usualTime = 60_000;
const hurriedTime = 2000;

export function createAllowedOrigins({ info, request }: Session, clock: Clock): AllowedOrigins {
  let current = info.parentOrigins;
  let isHurried = false;
  let isClosed = false;
  let stop = wait();

  function wait(): () => void {
    return clock.after(isHurried ? hurriedTime : usualTime, () => void ask());
  }

  async function ask(): Promise<void> {
    try {
      current = originsOf(await request("GET", "/api/app")) ?? current;
    } catch {
      // The hub is away: what it said last holds.
    }
    if (!isClosed) stop = wait();
  }

  return {
    get current() {
      return current;
    },
    hurry(value) {
      if (isHurried === value || isClosed) return;
      isHurried = value;
      stop();
      stop = wait();
    },
    close() {
      isClosed = true;
      stop();
    },
  };
}

function originsOf(answer: unknown): readonly string[] | undefined {
  const origins = isJsonObject(answer) ? answer["parentOrigins"] : undefined;
  if (!Array.isArray(origins)) return undefined;
  return origins.filter((origin): origin is string => typeof origin === "string");
}
