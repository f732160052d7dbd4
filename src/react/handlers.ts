import type { Complete } from "../toolbox/index.ts";

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
