import type { DependencyList } from "react";
import type { ResourceDefinition, ResourceTemplateDefinition } from "../toolbox/index.ts";
import { newestComplete, withHandlers, useOffered } from "./use-offered.ts";
import type { Enabled } from "./use-offered.ts";

/** Offers a resource while the component is on the screen; as `useTool` does. */
export function useResource(definition: ResourceDefinition & Enabled, deps?: DependencyList): void {
  useOffered<ResourceDefinition>({
    hook: "useResource",
    key: definition.uri,
    definition,
    deps,
    register: (page, newest) =>
      page.registerResource(withHandlers(definition, { read: (uri, context) => newest().read(uri, context) })),
  });
}

/** Offers a family of resources while the component is on the screen; as `useTool` does. */
export function useResourceTemplate(definition: ResourceTemplateDefinition & Enabled, deps?: DependencyList): void {
  useOffered<ResourceTemplateDefinition>({
    hook: "useResourceTemplate",
    key: definition.uriTemplate,
    definition,
    deps,
    register: (page, newest) =>
      page.registerResourceTemplate(
        withHandlers(definition, {
          read: (uri, variables, context) => newest().read(uri, variables, context),
          complete: newestComplete(newest),
        }),
      ),
  });
}
