import { check } from "./check.ts";
import type { AiToolHandler } from "./types.ts";

export interface ToolRegistry {
  /** Registers a tool's handler, replacing any previous one. */
  register(name: string, handler: AiToolHandler): void;
  unregister(name: string): boolean;
  get(name: string): AiToolHandler | undefined;
  clear(): void;
}

const rules = { required: "name handler", "a string": "name", "a function": "handler" };

export function createToolRegistry(): ToolRegistry {
  const handlers = new Map<string, AiToolHandler>();
  return {
    register(name, handler) {
      check({ name, handler }, "registerTool.", rules);
      if ((handlers.get(name) ?? handler) !== handler && isDevelopment()) {
        console.warn(`registerTool: "${name}" has another handler now; call unregisterTool before.`);
      }
      handlers.set(name, handler);
    },
    unregister: (name) => handlers.delete(name),
    get: (name) => handlers.get(name),
    clear: () => handlers.clear(),
  };
}

/** The handlers of this process: for tools that are independent of the caller. */
export const {
  register: registerTool,
  unregister: unregisterTool,
  get: getRegisteredTool,
  clear: clearToolRegistry,
} = createToolRegistry();

interface Process {
  readonly env?: { readonly NODE_ENV?: string };
}

export function isDevelopment(): boolean {
  const { process } = globalThis as { readonly process?: Process };
  return import.meta.env?.DEV ?? (process !== undefined && process.env?.NODE_ENV !== "production");
}
