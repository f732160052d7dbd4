/** Stands in for src/hub/store/thread-url.ts: where bundle-store-thread.ts put the thread's module. */
export const threadUrl = new URL("../../.cache/store-thread.mjs", import.meta.url);
