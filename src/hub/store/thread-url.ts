/** Where the module of the store's thread is. */
export const threadUrl = new URL("./sql/thread.js", import.meta.url);
