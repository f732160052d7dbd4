import type { Clock } from "../link/index.ts";
import type { OnError } from "../wire/index.ts";
import type { LinkStorage } from "./link-memory.ts";
import type { OwnWindow, ParentLinkState, ParentWindow } from "./parent-link-state.ts";
import type { WindowTool } from "./tool-definition.ts";

/** Words of the parent page for the field in which the user writes. */
export interface InjectedMessage {
  readonly message: string;
  /** Whether they are to be sent at once. */
  readonly autoSend: boolean;
  /** The page that says them. */
  readonly origin: string;
}

/** How far the parent page is with a call. */
export interface CallProgress {
  readonly callId: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface ParentLinkOptions {
  /** The exact origins that may be the parent; a function is asked again at each message. */
  readonly allowedOrigins: readonly string[] | (() => readonly string[]);
  /** Milliseconds that a call may take, 30,000 when not said. */
  readonly timeout?: number;
  onTools?(tools: readonly WindowTool[]): void;
  onInjectMessage?(injected: InjectedMessage): void;
  onStateChange?(state: ParentLinkState, previous: ParentLinkState): void;
  onProgress?(progress: CallProgress): void;
  /** Hears of messages, or tools in them, that could not be used. */
  readonly onError?: OnError;
  /** Finds the parent's window: the opener, or of a framed window the page around it, when not said. */
  parent?(): ParentWindow | null;
  readonly self?: OwnWindow;
  /** Where the parent and its calls are remembered during a reload: the tab's own storage when not said. */
  readonly storage?: LinkStorage;
  readonly clock?: Clock;
  readonly date?: () => number;
}
