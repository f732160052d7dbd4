// Reference counts of tools: a tool exists from the first registration of its name until the last one is removed.
import type { LocalToolbox, Registration, ToolDefinition } from "../toolbox/index.ts";
import { tellAll } from "./tell-all.ts";

/** The reference count. Tools without references have no info. */
export interface ToolInfo {
  readonly refCount: number;
  readonly isRegistered: true;
}

/** A tool's newest definition and its reference count. */
export type ToolDetails = ToolInfo & Omit<ToolDefinition, "execute">;

type InfoListener = (info: ToolInfo | null) => void;

export interface ToolReferences {
  /** Adds a reference with a new definition; throws if that is invalid. */
  add(definition: ToolDefinition): void;
  /** Removes a reference; false if there was none. */
  remove(name: string): boolean;
  /** Registers everything in another toolbox, now and from then on; throws if that does not take all, and then has none there. */
  moveTo(register: Register): void;
  info(name: string): ToolInfo | null;
  details(name: string): ToolDetails | null;
  names(): string[];
  /** Removes all tools, also those that are in use more than once. */
  clear(): void;
  /** Calls back for one tool, at once and at every change; returns a function that stops it. */
  onChange(name: string, listener: InfoListener): () => void;
}

type Register = LocalToolbox["registerTool"];

interface Reference {
  readonly definition: ToolDefinition;
  readonly refCount: number;
  registration: Registration;
}

export function createToolReferences(register: Register): ToolReferences {
  const references = new Map<string, Reference>();
  const listeners = new Map<string, Set<InfoListener>>();

  function info(name: string): ToolInfo | null {
    const { refCount } = references.get(name) ?? {};
    return refCount === undefined ? null : { refCount, isRegistered: true };
  }

  function tell(name: string): void {
    tellAll(listeners.get(name) ?? [], info(name));
  }

  return {
    add(definition) {
      const { name } = definition;
      const registration = register(definition);
      references.get(name)?.registration.remove();
      references.set(name, { definition, registration, refCount: (references.get(name)?.refCount ?? 0) + 1 });
      tell(name);
    },
    remove(name) {
      const held = references.get(name);
      if (!held) return false;
      if (held.refCount > 1) references.set(name, { ...held, refCount: held.refCount - 1 });
      else {
        references.delete(name);
        held.registration.remove();
      }
      tell(name);
      return true;
    },
    moveTo(next) {
      const moved = new Map<Reference, Registration>();
      try {
        for (const reference of references.values()) moved.set(reference, next(reference.definition));
      } catch (error) {
        for (const registration of moved.values()) registration.remove();
        throw error;
      }
      for (const [reference, registration] of moved) reference.registration = registration;
      register = next;
    },
    info,
    details(name) {
      const held = references.get(name);
      if (!held) return null;
      const { execute: _, ...said } = held.definition;
      return { ...said, refCount: held.refCount, isRegistered: true };
    },
    names: () => [...references.keys()],
    clear() {
      const names = [...references.keys()];
      for (const { registration } of references.values()) registration.remove();
      references.clear();
      names.forEach(tell);
    },
    onChange(name, listener) {
      const ofTool = listeners.get(name) ?? new Set();
      listeners.set(name, ofTool.add(listener));
      tellAll([listener], info(name));
      return () => {
        ofTool.delete(listener);
        if (ofTool.size === 0 && listeners.get(name) === ofTool) listeners.delete(name);
      };
    },
  };
}
