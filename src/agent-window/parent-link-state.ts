/**
 * The state of the connection to the parent page.
 * - `none`: no page opened this window or holds it in a frame.
 * - `waiting`: one does, and has not sent anything yet; `origin` is that of the parent before this window was reloaded.
 * - `refused`: its origin is not allowed.
 * - `lost`: it was connected, and is closed, has navigated away, or is silent.
 */
export type ParentLinkState =
  | { readonly kind: "none" }
  | { readonly kind: "waiting"; readonly origin?: string }
  | { readonly kind: "connected"; readonly origin: string; readonly via: "port" | "window" }
  | { readonly kind: "refused"; readonly origin: string }
  | { readonly kind: "lost"; readonly origin: string; readonly reason: "closed" | "left" | "silent" };

/** The part of the parent's window that the link needs. */
export interface ParentWindow {
  readonly closed: boolean;
  postMessage(data: unknown, targetOrigin: string): void;
}

/** The part of its own window that the link needs. */
export type OwnWindow = EventTarget & {
  readonly closed: boolean;
  readonly location: { readonly href: string };
  readonly navigation?: EventTarget;
};
