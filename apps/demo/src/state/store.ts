/** A value that many look at and few change. */
export interface Store<State extends object> {
  get(): State;
  /** Puts new values in place of some of the old ones, then tells whoever watches those. */
  update(changes: Partial<State>): void;
  /** Calls `react` now, and again whenever one of the named values has changed. */
  watch<Name extends keyof State>(names: readonly Name[], react: (state: State) => void): void;
}

/** Makes a store. Those who watch are told in the order in which they came. */
export function createStore<State extends object>(initial: State): Store<State> {
  let state = initial;
  const watchers: { readonly names: readonly (keyof State)[]; readonly react: (state: State) => void }[] = [];
  return {
    get: () => state,
    update(changes) {
      const before = state;
      state = { ...state, ...changes };
      for (const { names, react } of watchers) {
        if (names.some((name) => before[name] !== state[name])) react(state);
      }
    },
    watch(names, react) {
      watchers.push({ names, react });
      react(state);
    },
  };
}
