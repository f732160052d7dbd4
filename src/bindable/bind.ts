import { getWcBindableDeclaration } from "./declaration.ts";

export interface BindOptions {
  /**
   * With `connect`, initial values wait until an element is in the document; changes do not. Connecting inside of an
   * existing shadow tree goes unnoticed: bind it once it is connected.
   */
  readonly syncOn?: "call" | "connect";
}

/**
 * Reports every declared property: first its value, then each change. Returns a function that unbinds.
 * An object that is not bindable reports nothing.
 */
export function bind(
  target: object,
  onUpdate: (name: string, value: unknown) => void,
  { syncOn = "call" }: BindOptions = {},
): () => void {
  if (typeof onUpdate !== "function") throw new TypeError("onUpdate must be a function.");
  const properties = getWcBindableDeclaration(target)?.properties ?? [];
  const bound = target as EventTarget & Readonly<Record<string, unknown>>;
  const undo: (() => void)[] = [];

  function unbind(): void {
    for (const step of undo.splice(0)) {
      try {
        step();
      } catch {
        // The others are undone all the same.
      }
    }
  }

  function reportAll(): void {
    try {
      for (const { name } of properties) if (name in bound) onUpdate(name, bound[name]);
    } catch (error) {
      unbind();
      throw error;
    }
  }

  try {
    for (const { name, event, getter } of properties) {
      const listener = (happened: Event) =>
        onUpdate(name, getter ? getter(happened) : (happened as CustomEvent).detail);
      bound.addEventListener(event, listener);
      undo.push(() => bound.removeEventListener(event, listener));
    }
    if (syncOn === "connect" && properties.length > 0) undo.push(whenConnected(target, reportAll));
    else reportAll();
  } catch (error) {
    unbind();
    throw error;
  }
  return unbind;
}

interface Page {
  readonly document?: object;
  readonly MutationObserver?: new (changed: () => void) => {
    observe(root: object, options: { readonly childList: true; readonly subtree: true }): void;
    disconnect(): void;
  };
}

/** Runs once the target is in the document; at once without a document. The returned function cancels that. */
function whenConnected(target: { readonly isConnected?: unknown }, run: () => void): () => void {
  const { document, MutationObserver } = globalThis as Page;
  if (!document || !MutationObserver || target.isConnected !== false) {
    run();
    return () => {};
  }
  const observer = new MutationObserver(() => {
    if (!target.isConnected) return;
    observer.disconnect();
    run();
  });
  observer.observe(document, { childList: true, subtree: true });
  return () => observer.disconnect();
}
