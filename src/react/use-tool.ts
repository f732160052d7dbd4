import type { DependencyList } from "react";
import type { NoInput, SchemaTool, ToolDefinition } from "../toolbox/index.ts";
import { withHandlers, useOffered } from "./use-offered.ts";
import type { Enabled } from "./use-offered.ts";

/** A tool as written in a component: its handler may close over props and state. */
export interface HookedTool<Input extends object, Output extends object> extends SchemaTool<Input, Output>, Enabled {}

/**
 * Offers a tool while the component is mounted. A call always runs the handler of the newest render. A changed
 * definition is registered again; with `deps` it is compared only when one of those changes.
 */
export function useTool<const Input extends object = NoInput, const Output extends object = object>(
  definition: HookedTool<Input, Output>,
  deps?: DependencyList,
): void {
  useOffered<ToolDefinition>({
    hook: "useTool",
    key: definition.name,
    definition,
    deps,
    register: (page, newest) =>
      page.registerTool(
        withHandlers<ToolDefinition>(definition, { execute: (input, context) => newest().execute(input, context) }),
      ),
  });
}
