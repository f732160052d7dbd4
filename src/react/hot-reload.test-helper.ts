// Hot reload as bundlers do it. Import this before React, which looks for it while it is loaded.
import { injectIntoGlobalHook, performReactRefresh, register } from "react-refresh/runtime";
import type { FunctionComponent } from "react";

injectIntoGlobalHook(window);

/** Registers a component as the file's current one under this name. */
export function defineHot<Props>(name: string, component: FunctionComponent<Props>): FunctionComponent<Props> {
  register(component, name);
  return component;
}

export { performReactRefresh };
