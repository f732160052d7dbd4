import type { Registration } from "../../../toolbox/index.ts";
import type { Page } from "../../api/page.ts";
import type { Action } from "./action.ts";
import { registerAction } from "./register-action.ts";

export interface OfferedActions {
  /** Removes them. Can be called twice. */
  remove(): void;
}

/**
 * Offers actions in a page. If the page registers a tool of the same name, now or later, the page's tool wins; when the
 * page removes it, the action is offered again.
 */
export function offerActions(page: Pick<Page, "toolbox" | "hub">, actions: readonly Action[]): OfferedActions {
  const { toolbox, hub } = page;
  const place = { registerTool: toolbox.registerTool, hub };
  const registrations = new Map<string, Registration>();

  function offer(): void {
    const taken = new Set(toolbox.list().map(({ name }) => name));
    for (const { name, handler, options } of actions) {
      if (options.signal?.aborted || taken.has(name)) continue;
      registrations.set(name, registerAction(name, handler, { ...options, toolbox: place }));
    }
  }

  offer();
  const stop = toolbox.subscribe(offer);
  return {
    remove() {
      stop();
      for (const registration of registrations.values()) registration.remove();
    },
  };
}
