/** Stands in for src/hub/doors/rehearsal/rehearsal-thread-url.ts: where bundle-threads.ts put the thread's module. */
export const rehearsalThreadUrl = new URL("../../.cache/rehearsal-thread.mjs", import.meta.url);
