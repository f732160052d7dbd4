// The browser APIs that a bridge uses, so that tests can replace them.
import { systemClock } from "../link/index.ts";
import type { Clock } from "../link/index.ts";
import { newToken } from "./new-token.ts";

export interface BridgeEnvironment {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  readonly newId: () => string;
  readonly storage: BridgeStorage;
  /** The page's window. */
  readonly self: Window;
}

/** Strings that survive a reload of this tab. */
export interface BridgeStorage {
  get(name: string): string | null | undefined;
  set(name: string, value: string): void;
  remove(name: string): void;
  names(): readonly string[];
}

export function browserEnvironment(): BridgeEnvironment {
  return {
    clock: systemClock,
    date: Date.now,
    newId: newToken,
    storage: {
      get: (name) => whereAllowed(() => sessionStorage.getItem(name)),
      set: (name, value) => whereAllowed(() => sessionStorage.setItem(name, value)),
      remove: (name) => whereAllowed(() => sessionStorage.removeItem(name)),
      names: () => whereAllowed(() => Object.keys(sessionStorage)) ?? [],
    },
    self: window,
  };
}

/** Storage can be disabled or full; the tab then works without it. */
function whereAllowed<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
