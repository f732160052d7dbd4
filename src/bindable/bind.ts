import { getWcBindableDeclaration } from "./get-declaration.ts";
import { whenConnected } from "./when-connected.ts";

export interface BindOptions {
  /**
   * `connect` waits with what the properties are until an element is in the document, and tells changes until then. An
   * element within a shadow tree that is there already is not noticed: bind it when it is connected.
   */
  readonly syncOn?: "call" | "connect";
}

/**
 * Tells of every declared property: first what it is now, then each change. Returns what ends it.
 * An object that is not bindable has nothing to tell.
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

  function tellAll(): void {
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
    if (syncOn === "connect" && properties.length > 0) undo.push(whenConnected(target, tellAll));
    else tellAll();
  } catch (error) {
    unbind();
    throw error;
  }
  return unbind;
}
