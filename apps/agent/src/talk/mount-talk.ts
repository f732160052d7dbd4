import type { AiAgent } from "pagewire/ai-agent";
import type { Parent } from "../parent/connect-parent.ts";
import type { Session } from "../session/session.ts";
import { askAtTopLevel } from "../top-level/ask-at-top-level.ts";
import { browserClock } from "./clock.ts";
import { createTalk } from "./create-talk.ts";
import type { Announce, TabTools } from "./talk-options.ts";

/** The conversation, on the page. */
export interface Talk {
  focus(): void;
  close(): void;
}

export interface MountTalkParts {
  readonly agent: AiAgent;
  readonly parent: Parent;
  readonly session: Session;
  readonly tabs: TabTools | undefined;
  readonly announce: Announce;
}

/** Shows the conversation with the agent in `root`. */
export function mountTalk(root: HTMLElement, parts: MountTalkParts): Talk {
  const isFramed = window.top !== window;
  const { element, ...talk } = createTalk({
    ...parts,
    clock: browserClock,
    storage: sessionStorage,
    askElsewhere: isFramed ? askAtTopLevel : undefined,
  });
  root.append(element);
  return {
    focus: talk.focus,
    close() {
      talk.close();
      element.remove();
    },
  };
}
