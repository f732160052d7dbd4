// Chromium keeps to itself what a tool throws. What a tool returns reaches the agent.
import { messageOf } from "../wire/index.ts";

type Run = (this: unknown, ...given: readonly unknown[]) => unknown;

const wrapped = new WeakSet<object>();
const callers = new Set<object>();

/**
 * From now on, a tool that the page registers with `document.modelContext` and that throws or rejects returns an MCP
 * error result with the error's message. Returns a function that ends this for tools that are registered later. Does
 * nothing in a browser without `document.modelContext`.
 */
export function reportToolErrors(): () => void {
  const { modelContext } = Object(globalThis.document) as { readonly modelContext?: { readonly registerTool?: Run } };
  const register = modelContext?.registerTool;
  if (register && !wrapped.has(register)) {
    const registerTool: Run = async function (tool, ...options) {
      return Reflect.apply(register, this, [callers.size > 0 ? reporting(tool) : tool, ...options]);
    };
    wrapped.add(registerTool);
    // A context that is frozen stays as it is.
    Reflect.set(modelContext, "registerTool", registerTool);
  }
  const caller = {};
  callers.add(caller);
  return () => void callers.delete(caller);
}

/** The same tool but for its `execute`: a getter still gets the tool itself, and a script may copy it. */
function reporting(tool: unknown): unknown {
  const { execute } = Object(tool) as { readonly execute?: unknown };
  if (typeof execute !== "function") return tool;
  const given = tool as object;
  return new Proxy({ ...given } as object, {
    get: (_, member) => (member === "execute" ? catching(execute as Run) : Reflect.get(given, member)),
  });
}

function catching(execute: Run): Run {
  return async function (...given) {
    try {
      return await Reflect.apply(execute, this, given);
    } catch (error) {
      // A caller that gave up is answered already.
      if ((given[1] as { readonly signal?: AbortSignal } | undefined)?.signal?.aborted) throw error;
      console.error("WebMCP tool execution failed:", error);
      return { isError: true, content: [{ type: "text", text: messageOf(error).slice(0, 4096) }] };
    }
  };
}
