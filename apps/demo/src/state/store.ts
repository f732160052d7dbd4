/** A value with many readers and few writers. */
export interface Store<State extends object> {
  get(): State;
  /** Replaces some of the values, then notifies their watchers. */
  update(changes: Partial<State>): void;
  /** Calls `react` now, and again whenever one of the named values has changed. */
  watch<Name extends keyof State>(names: readonly Name[], react: (state: State) => void): void;
}

/** Creates a store. Watchers are notified in the order in which they were added. */
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
