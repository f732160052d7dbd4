declare module "react-refresh/runtime" {
  /** Makes the React that is loaded into this window report its renders. */
  export function injectIntoGlobalHook(window: Window): void;
  /** Registers a component as a file's current one under a name. */
  export function register(component: unknown, name: string): void;
  /** Renders the newly registered components again. */
  export function performReactRefresh(): unknown;
}
