// Hot reload as bundlers do it. React looks for it when it is loaded: this must be imported before.
import { injectIntoGlobalHook, performReactRefresh, register } from "react-refresh/runtime";
import type { FunctionComponent } from "react";

injectIntoGlobalHook(window);

/** Says that this is what the file now holds under this name. */
export function defineHot<Props>(name: string, component: FunctionComponent<Props>): FunctionComponent<Props> {
  register(component, name);
  return component;
}

export { performReactRefresh };
