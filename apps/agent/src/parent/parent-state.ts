import type { WindowTool } from "pagewire/agent-window";

/** How it stands with the page that opened this window. */
export type ParentState =
  | { readonly kind: "none" }
  /** Nothing was heard of it yet; `origin` is that of before this window was reloaded. */
  | { readonly kind: "waiting"; readonly origin?: string }
  | {
      readonly kind: "connected";
      readonly origin: string;
      readonly tools: readonly WindowTool[];
      readonly via: "port" | "window";
      /** Whether the hub can call these tools: `replaced` means that another window of this conversation does it now. */
      readonly relay: "open" | "waiting" | "replaced";
    }
  | { readonly kind: "refused"; readonly origin: string }
  | { readonly kind: "lost"; readonly origin: string };
