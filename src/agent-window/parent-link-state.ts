/**
 * How it stands with the parent page.
 * - `none`: no page opened this window or holds it in a frame.
 * - `waiting`: one does, and has not been heard yet; `origin` is that of the parent before this window was reloaded.
 * - `refused`: it speaks from an origin that is not allowed.
 * - `lost`: it was connected, and is closed, has left for another page, or is silent.
 */
export type ParentLinkState =
  | { readonly kind: "none" }
  | { readonly kind: "waiting"; readonly origin?: string }
  | { readonly kind: "connected"; readonly origin: string; readonly via: "port" | "window" }
  | { readonly kind: "refused"; readonly origin: string }
  | { readonly kind: "lost"; readonly origin: string; readonly reason: "closed" | "left" | "silent" };

/** What the link needs of the parent's window. */
export interface ParentWindow {
  readonly closed: boolean;
  postMessage(data: unknown, targetOrigin: string): void;
}

/** What the link needs of its own window. */
export type OwnWindow = EventTarget & {
  readonly closed: boolean;
  readonly location: { readonly href: string };
  readonly navigation?: EventTarget;
};
