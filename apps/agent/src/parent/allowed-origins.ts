import type { Clock } from "pagewire/link";
import { isJsonObject } from "pagewire/wire";
import type { Session } from "../../../common/src/session/session.ts";

/** The origins that the hub allows as the parent. */
export interface AllowedOrigins {
  readonly current: readonly string[];
  /** Polls the hub for a while: the user is about to allow one. */
  hurry(isHurried: boolean): void;
  /** Asks the hub now: it has refused an origin that was allowed before. */
  refresh(): void;
  close(): void;
}

const usualTime = 60_000;
const hurriedTime = 2000;

export interface AllowedOriginsOptions {
  readonly clock: Clock;
  /** Called with each list from the hub, and whether it changed. */
  changed(areOthers: boolean): void;
}

export function createAllowedOrigins(
  { info, request }: Session,
  { clock, changed }: AllowedOriginsOptions,
): AllowedOrigins {
  let current = info.parentOrigins;
  let isHurried = false;
  let isClosed = false;
  let asked = 0;
  let stop = wait();

  function wait(): () => void {
    return clock.after(isHurried ? hurriedTime : usualTime, () => void ask());
  }

  async function ask(): Promise<void> {
    stop();
    const turn = ++asked;
    const origins = await request("GET", "/api/app").then(originsOf, () => undefined);
    // A later question has the newer answer.
    if (isClosed || turn !== asked) return;
    stop = wait();
    // While the hub is unreachable, its last list holds.
    if (!origins) return;
    const areOthers = origins.join(" ") !== current.join(" ");
    current = origins;
    changed(areOthers);
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
    refresh: () => void ask(),
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
