import { useCallback, useEffect, useInsertionEffect, useRef, useState } from "react";
import type { DependencyList } from "react";
import type { Page } from "../page/index.ts";
import type { Registration } from "../toolbox/index.ts";
import { makeClaim } from "./claims.ts";
import { describesSame } from "./describes-same.ts";
import { usePlace } from "./place.ts";
import { useNewest } from "./use-newest.ts";

/** What every definition may say to a hook. */
export interface Enabled {
  /** While false it is not offered. */
  readonly enabled?: boolean;
}

export interface Offering<Definition> {
  readonly hook: string;
  /** Its name or address. */
  readonly key: string;
  readonly definition: Definition & Enabled;
  readonly deps: DependencyList | undefined;
  /** Registers it, with handlers that call those of the newest definition. */
  register(page: Page, newest: () => Definition): Registration;
}

interface Held {
  readonly page: Page;
  readonly definition: object;
  release(): void;
}

let rendered = 0;

/** Offers something while its component is on the screen. Where it is described anew, it is registered anew. */
export function useOffered<Definition extends object>(offering: Offering<Definition>): void {
  const { hook, key, definition, deps, register } = offering;
  const { page, onError } = usePlace(hook);
  const newest = useNewest<Definition>(definition);
  const [order] = useState(() => ++rendered);
  const held = useRef<Held>(undefined);
  const isEnabled = definition.enabled ?? true;

  const release = useCallback(() => {
    held.current?.release();
    held.current = undefined;
  }, []);

  useEffect(
    () => {
      const { current } = held;
      if (current && isEnabled && current.page === page && describesSame(current.definition, definition)) return;
      release();
      if (!page || !isEnabled) return;
      const id = `${hook} ${key}`;
      let wasReported = false;
      const tryRegister = () => {
        try {
          return register(page, () => newest.current);
        } catch (error) {
          if (!wasReported) onError(error, { stage: id });
          wasReported = true;
          return undefined;
        }
      };
      held.current = { page, definition, release: makeClaim(page, { id, order, register: tryRegister }) };
    },
    deps && [page, isEnabled, ...deps],
  );
  // Where React only pauses a component: in StrictMode, at a hot reload, in a hidden <Activity>.
  useEffect(() => release, [release]);
  // Other effects end a moment after a component left the screen. No call may come in between.
  useInsertionEffect(() => release, [release]);
}
