import { hostOf } from "../../hosts.ts";
import type { ParentState } from "../../parent/connect-parent.ts";
import type { Session } from "../../session/session.ts";
import type { TalkAgent } from "../talk-agent.ts";
import type { TabTools } from "../talk-options.ts";
import { errorText } from "./error-text.ts";
import type { Outbox } from "./outbox.ts";
import { whyNoTools } from "./tabs-text.ts";

/** What is to be said below the conversation: what is waited for, or why there is no answer, and whether it can be asked for again. */
export interface Outcome {
  readonly text: string;
  readonly isFailure: boolean;
  readonly canTryAgain: boolean;
}

const noModel = "This hub has no model, so nothing can answer here.";

export interface OutcomeNeeds {
  readonly agent: Pick<TalkAgent, "error" | "connection">;
  readonly outbox: Pick<Outbox, "isBusy" | "isWaiting" | "problem" | "failed">;
  readonly parent: ParentState;
  readonly session: Pick<Session, "info">;
  readonly tabs?: TabTools | undefined;
  /** The role of the conversation's last message. */
  readonly lastRole: string | undefined;
}

/** Undefined where all is well. */
export function outcomeOf({ agent, outbox, session, parent, tabs, lastRole }: OutcomeNeeds): Outcome | undefined {
  const { connection } = agent;
  const error = outbox.problem ?? agent.error;
  const isRefused = connection === "closed" && error !== null && /has no model/.test(errorText(error));
  if (session.info.model === null || isRefused) return { text: noModel, isFailure: true, canTryAgain: false };
  if (outbox.isWaiting) return { text: `Waiting for ${appOf(parent)}…`, isFailure: false, canTryAgain: false };
  if (outbox.isBusy) return undefined;
  const isSent = outbox.failed !== undefined || outbox.problem !== undefined;
  // That there is no way to the hub the window around this says; here it matters to what was sent.
  if (error !== null && (isSent || connection === "open"))
    return { text: errorText(error), isFailure: true, canTryAgain: isSent || lastRole !== undefined };
  if (lastRole === "user" || lastRole === "tool")
    return { text: "This has no answer yet.", isFailure: false, canTryAgain: true };
  const why = lastRole === "assistant" ? whyNoTools(parent, tabs) : undefined;
  return why === undefined ? undefined : { text: why, isFailure: false, canTryAgain: false };
}

function appOf(parent: ParentState): string {
  if (parent.kind === "none") return "the tools of your tabs";
  return "origin" in parent && parent.origin !== undefined ? hostOf(parent.origin) : "the app";
}
