import type { DependencyList } from "react";
import type { PromptDefinition } from "../toolbox/index.ts";
import { newestComplete, withHandlers, useOffered } from "./use-offered.ts";
import type { Enabled } from "./use-offered.ts";

/** Offers a prompt while the component is on the screen; as `useTool` does. */
export function usePrompt(definition: PromptDefinition & Enabled, deps?: DependencyList): void {
  useOffered<PromptDefinition>({
    hook: "usePrompt",
    key: definition.name,
    definition,
    deps,
    register: (page, newest) =>
      page.registerPrompt(
        withHandlers(definition, {
          get: (input, context) => newest().get(input, context),
          complete: newestComplete(newest),
        }),
      ),
  });
}
