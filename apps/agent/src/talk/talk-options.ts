import type { WindowTool } from "pagewire/agent-window";
import type { Parent } from "../parent/connect-parent.ts";
import type { Session } from "../session/session.ts";
import type { AskElsewhere } from "./approvals.ts";
import type { TalkClock } from "./clock.ts";
import type { DraftStorage } from "./state/drafts.ts";
import type { TalkAgent } from "./talk-agent.ts";

/** Says something to screen readers: when they have time, or at once where it is urgent. */
export type Announce = (text: string, isUrgent?: boolean) => void;

/** What the assistant may use without an app: the tools of the user's tabs. */
export interface TabTools {
  /** Whether it may, in this conversation. */
  readonly isOn: boolean;
  /** What the switch for that is called. */
  readonly label: string;
  /** Undefined until the hub has said what there is. */
  readonly tools: readonly WindowTool[] | undefined;
  /** Brings them into the conversation. */
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
  /** Given where the window is framed: asks where nothing can cover the question. */
  readonly askElsewhere: AskElsewhere | undefined;
}
