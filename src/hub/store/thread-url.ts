/** The module of the store's thread. */
export const threadUrl = new URL("./sql/thread.js", import.meta.url);
