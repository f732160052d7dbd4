/** Whether the browser has a model context of its own; to be imported before the polyfill. */
export const isNative = "modelContext" in document;
