/** Replaces src/hub/store/thread-url.ts: the place where bundle-threads.ts put the thread's module. */
export const threadUrl = new URL("../../.cache/store-thread.mjs", import.meta.url);
