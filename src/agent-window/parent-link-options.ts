import type { Clock } from "../link/index.ts";
import type { OnError } from "../wire/index.ts";
import type { LinkStorage } from "./link-memory.ts";
import type { WindowTool } from "./tool-definition.ts";

/** A message of the parent page for the user's input field. */
export interface InjectedMessage {
  readonly message: string;
  /** Whether it is to be sent at once. */
  readonly autoSend: boolean;
  /** The origin of the page that sent it. */
  readonly origin: string;
}

/** The progress of a call in the parent page. */
export interface CallProgress {
  readonly callId: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface ParentLinkOptions {
  /** The exact origins that may be the parent; a function is called for each message. */
  readonly allowedOrigins: readonly string[] | (() => readonly string[]);
  /** Default timeout of a call in milliseconds: 30,000. */
  readonly timeout?: number;
  onTools?(tools: readonly WindowTool[]): void;
  onInjectMessage?(injected: InjectedMessage): void;
  onStateChange?(state: ParentLinkState, previous: ParentLinkState): void;
  onProgress?(progress: CallProgress): void;
  /** Called with messages, or tools in them, that are invalid. */
  readonly onError?: OnError;
  /** Returns the parent's window: by default the opener, or the surrounding page of a frame. */
  parent?(): ParentWindow | null;
  readonly self?: OwnWindow;
  /** The storage for the parent and its calls during a reload; by default the tab's own. */
  readonly storage?: LinkStorage;
  readonly clock?: Clock;
  readonly date?: () => number;
}

/**
 * The state of the connection to the parent page.
 * - `none`: no page opened this window or holds it in a frame.
 * - `waiting`: one does, and has not sent anything yet; `origin` is that of the parent before this window was reloaded.
 * - `connected`: `title` is the page's own, if it sent one: untrusted text.
 * - `refused`: its origin is not allowed.
 * - `lost`: it was connected, and is closed, has navigated away, or is silent.
 */
export type ParentLinkState =
  | { readonly kind: "none" }
  | { readonly kind: "waiting"; readonly origin?: string }
  | { readonly kind: "connected"; readonly origin: string; readonly via: "port" | "window"; readonly title?: string }
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
