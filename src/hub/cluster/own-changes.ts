import type { Store } from "../store/index.ts";

/** The store, which changes a conversation only while this hub has it. */
export function ownChanges(store: Store, hub: () => string | undefined): Store {
  return {
    ...store,
    write(key, change) {
      const id = hub();
      return store.write(key, id === undefined ? change : { ...change, hub: id });
    },
    remove: (key) => store.remove(key, hub()),
  };
}
