import type { Parent } from "../parent/connect-parent.ts";
import type { Session } from "../session/session.ts";
import type { AskElsewhere } from "./approvals.ts";
import type { TalkClock } from "./clock.ts";
import type { DraftStorage } from "./state/drafts.ts";
import type { TalkAgent } from "./talk-agent.ts";

/** Says something to screen readers: when they have time, or at once where it is urgent. */
export type Announce = (text: string, isUrgent?: boolean) => void;

export interface TalkOptions {
  readonly agent: TalkAgent;
  readonly parent: Pick<Parent, "state" | "onState" | "onInject" | "onProgress">;
  readonly session: Pick<Session, "info">;
  readonly announce: Announce;
  readonly clock: TalkClock;
  /** The tab's own. */
  readonly storage: DraftStorage;
  /** Given where the window is framed: asks where nothing can cover the question. */
  readonly askElsewhere: AskElsewhere | undefined;
}
