import type { WindowTool } from "pagewire/agent-window";

/** Whether the hub has what this window brings: `replaced` means that another window of this conversation does it now. */
export type RelayState = "open" | "waiting" | "replaced";

/** How it stands with the page that opened this window. */
export type ParentState =
  /** `relay` is there once this window has brought something into a conversation by itself. */
  | { readonly kind: "none"; readonly relay?: RelayState }
  /** Nothing was heard of it yet; `origin` is that of before this window was reloaded. */
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
