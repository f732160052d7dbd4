import type { Complete } from "../toolbox/index.ts";

/** A definition with other handlers in it; it may be frozen, or an instance of a class. */
export function withHandlers<Definition extends object>(
  definition: Definition,
  handlers: Partial<Definition>,
): Definition {
  return Object.create(definition, Object.getOwnPropertyDescriptors(handlers));
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
