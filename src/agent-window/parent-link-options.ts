import type { Clock } from "../link/index.ts";
import type { OnError } from "../wire/index.ts";
import type { LinkStorage } from "./link-memory.ts";
import type { OwnWindow, ParentLinkState, ParentWindow } from "./parent-link-state.ts";
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
