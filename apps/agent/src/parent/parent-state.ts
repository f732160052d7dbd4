import type { WindowTool } from "pagewire/agent-window";

/**
 * Whether the hub has this window's offer: `replaced` means that another window of this conversation provides the
 * tools.
 */
export type RelayState = "open" | "waiting" | "replaced";

/** The state of the connection to the page that opened this window. */
export type ParentState =
  /** `relay` is there once this window has brought something into a conversation by itself. */
  | { readonly kind: "none"; readonly relay?: RelayState }
  /** The parent has not answered yet; `origin` is the one from before this window was reloaded. */
  | { readonly kind: "waiting"; readonly origin?: string }
  | {
      readonly kind: "connected";
      readonly origin: string;
      readonly tools: readonly WindowTool[];
      readonly via: "port" | "window";
      readonly relay: RelayState;
    }
  | { readonly kind: "refused"; readonly origin: string }
  | { readonly kind: "lost"; readonly origin: string };
