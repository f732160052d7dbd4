import { useCallback, useEffect, useInsertionEffect, useRef, useState } from "react";
import type { DependencyList } from "react";
import type { Page } from "../page/index.ts";
import type { Registration, Complete } from "../toolbox/index.ts";
import { describesSame } from "./describes-same.ts";
import { usePlace } from "./place.ts";
import { useNewest } from "./use-newest.ts";

interface Claim {
  /** The claimed name, as in `tool sort_by`. */
  readonly id: string;
  /** Greater in components that were rendered later. */
  readonly order: number;
  register(): Registration | undefined;
}

interface HeldClaim extends Claim {
  registration?: Registration | undefined;
}

/** Several components may claim one name: the one rendered last wins, such as a dialog, until it unmounts. */
const claimsOfPages = new WeakMap<Page, Map<string, HeldClaim[]>>();

/** Offers a definition, or keeps it until it is next; the returned function removes it. */
function makeClaim(page: Page, claim: Claim): () => void {
  const held: HeldClaim = { ...claim };
  const stack = stackOf(page, claim.id);
  stack.push(held);
  stack.sort((one, other) => one.order - other.order);
  if (stack.at(-1) === held) held.registration = held.register();
  return () => {
    const wasLast = stack.at(-1) === held;
    stack.splice(stack.indexOf(held), 1);
    held.registration?.remove();
    const next = stack.at(-1);
    if (wasLast && next) next.registration = next.register();
    // A replacement in the same commit comes first.
    queueMicrotask(() => offerWaiting(page));
  };
}

/** Offers claims that could not be offered before, such as when the page had reached its limit. */
function offerWaiting(page: Page): void {
  for (const stack of claimsOfPages.get(page)?.values() ?? []) {
    const last = stack.at(-1);
    if (last && !last.registration) last.registration = last.register();
  }
}

function stackOf(page: Page, id: string): HeldClaim[] {
  const stacks = claimsOfPages.get(page) ?? new Map<string, HeldClaim[]>();
  claimsOfPages.set(page, stacks);
  const stack = stacks.get(id) ?? [];
  stacks.set(id, stack);
  return stack;
}

/** Options that every definition can have. */
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

/** Offers something while its component is mounted. A changed description registers it again. */
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
  // For when React only pauses a component: in StrictMode, at a hot reload, in a hidden <Activity>.
  useEffect(() => release, [release]);
  // Other effects end shortly after a component unmounts. No call may arrive in between.
  useInsertionEffect(() => release, [release]);
}

/** A definition with other handlers. It may be frozen, or an instance of a class, whose getters still work. */
export function withHandlers<Definition extends object>(
  definition: Definition,
  handlers: Partial<Definition>,
): Definition {
  return new Proxy(
    { ...definition, ...handlers },
    { get: (own, name) => Reflect.get(Object.hasOwn(own, name) ? own : definition, name) },
  );
}

/** Completions that the newest definition's handlers propose. */
export function newestComplete(newest: () => { readonly complete?: Readonly<Record<string, Complete>> }) {
  const names = Object.keys(newest().complete ?? {});
  const ask =
    (name: string): Complete =>
    (...given) =>
      newest().complete?.[name]?.(...given) ?? [];
  return Object.fromEntries(names.map((name) => [name, ask(name)]));
}
