import { useSyncExternalStore } from "react";
import { findModelContext } from "../webmcp/index.ts";

type Found = NonNullable<ReturnType<typeof findModelContext>>;

/** Wherever tools can be registered. */
export type AnyModelContext = Found["context"];

/** `document.modelContext`, with the part of its API that registers tools. */
export type DocumentContext = Extract<Found, { readonly at: "document" }>["context"];

/** The model context, once there is one: the browser's own, or a polyfill that may load later. */
export function useAnyModelContext(): AnyModelContext | undefined {
  return useSyncExternalStore(subscribe, readAny, nothing);
}

/** `document.modelContext`, once there is one. */
export function useDocumentContext(): DocumentContext | undefined {
  return useSyncExternalStore(subscribe, readOfDocument, nothing);
}

function readAny(): AnyModelContext | undefined {
  return findModelContext()?.context;
}

function readOfDocument(): DocumentContext | undefined {
  const found = findModelContext();
  return found?.at === "document" ? found.context : undefined;
}

const nothing = () => undefined;

/** The polyfill dispatches an event; other scripts have run at the latest when the page has loaded. */
function subscribe(listener: () => void): () => void {
  const subscription = new AbortController();
  const { signal } = subscription;
  document.addEventListener("modelcontext", listener, { signal });
  document.addEventListener("DOMContentLoaded", listener, { signal });
  window.addEventListener("load", listener, { signal });
  return () => subscription.abort();
}
