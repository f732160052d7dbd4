declare module "react-refresh/runtime" {
  /** Has React, when it is loaded into this window, tell of what it renders. */
  export function injectIntoGlobalHook(window: Window): void;
  /** Says which component a file holds under a name now. */
  export function register(component: unknown, name: string): void;
  /** Renders what was registered anew. */
  export function performReactRefresh(): unknown;
}
