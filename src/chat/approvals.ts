// Asks the user whether calls may run, and decides when an answer counts.
import type { AiToolDecision } from "../element/index.ts";
import type { ApprovalRequest } from "../toolbox/index.ts";
import type { TalkParent } from "./talk-parent.ts";
import type { TalkClock } from "./dom/clock.ts";
import { createArming } from "./dom/arming.ts";
import { choicesOf } from "./model/choices.ts";
import { toolOrigin } from "./model/readable-text.ts";
import type { CallTurn } from "./model/turns.ts";
import type { TalkAgent } from "./talk-agent.ts";
import { createApprovalCard } from "./view/approval-card.ts";
import type { ApprovalCard } from "./view/approval-card.ts";

export type AskElsewhere = (request: ApprovalRequest, signal: AbortSignal) => Promise<AiToolDecision>;

export interface ApprovalsOptions {
  readonly agent: Pick<TalkAgent, "settleToolCall">;
  readonly parent: Pick<TalkParent, "state">;
  readonly clock: TalkClock;
  /** The scroller and its content: when either is resized, the questions move. */
  readonly scroller: HTMLElement;
  readonly content: Element;
  /** Set if the window is framed: another element may cover its questions. */
  readonly askElsewhere: AskElsewhere | undefined;
}

export interface Approvals {
  /** Makes the question for a call that waits. */
  ask(turn: CallTurn, request: ApprovalRequest): ApprovalCard;
  /** Called once new questions are in place: focus moves to one of them unless the user is busy. */
  show(mayTakeFocus: boolean): void;
  close(): void;
}

export function createApprovals(options: ApprovalsOptions): Approvals {
  const { agent, parent, clock, scroller, content, askElsewhere } = options;
  const arming = createArming(clock);
  const left = new AbortController();
  const { signal } = left;
  const disturb = () => arming.disturb();
  let fresh: ApprovalCard | undefined;
  const observer = new ResizeObserver(disturb);
  observer.observe(content);
  observer.observe(scroller);
  // A click that brings the window to the front is not an answer.
  window.addEventListener("focus", disturb, { signal });
  document.addEventListener("visibilitychange", disturb, { signal });

  return {
    ask(turn, request) {
      const origin = request.origin ?? toolOrigin(turn.name, parent.state);
      disturb();
      fresh = createApprovalCard({
        request,
        title: turn.title,
        origin,
        choices: choicesOf(request),
        arming,
        onDecide(decision) {
          disturb();
          agent.settleToolCall(turn.id, decision);
        },
        review:
          askElsewhere &&
          ((taken) => askElsewhere({ ...request, title: turn.title, ...(origin && { origin }) }, taken)),
      });
      return fresh;
    },
    show(mayTakeFocus) {
      // Do not scroll if the reader is further up.
      if (mayTakeFocus) fresh?.element.focus({ preventScroll: true });
      fresh = undefined;
    },
    close() {
      left.abort();
      observer.disconnect();
      arming.close();
    },
  };
}
