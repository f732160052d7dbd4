import type { WindowTool } from "pagewire/agent-window";
import type { Parent } from "../parent/connect-parent.ts";
import type { Session } from "../session/session.ts";
import type { AskElsewhere } from "./approvals.ts";
import type { TalkClock } from "./clock.ts";
import type { DraftStorage } from "./state/drafts.ts";
import type { TalkAgent } from "./talk-agent.ts";

/** Announces a text to screen readers: politely, or at once where it is urgent. */
export type Announce = (text: string, isUrgent?: boolean) => void;

/** The assistant's tools without an app: those of the user's tabs. */
export interface TabTools {
  /** Whether the assistant may use them in this conversation. */
  readonly isOn: boolean;
  /** The label of the switch for that. */
  readonly label: string;
  /** Undefined until the hub has replied. */
  readonly tools: readonly WindowTool[] | undefined;
  /** Offers them in the conversation. */
  prepare(): void;
  /** Calls when any of it is different. */
  onChange(listener: () => void): () => void;
}

export interface TalkOptions {
  readonly agent: TalkAgent;
  readonly parent: Pick<Parent, "state" | "onState" | "onInject" | "onProgress">;
  readonly session: Pick<Session, "info">;
  /** Given at the hub's home. */
  readonly tabs?: TabTools | undefined;
  readonly announce: Announce;
  readonly clock: TalkClock;
  /** The tab's own. */
  readonly storage: DraftStorage;
  /** Set if the window is framed: asks in a window that nothing can cover. */
  readonly askElsewhere: AskElsewhere | undefined;
}
