import { hostOf } from "../../hosts.ts";
import type { ParentState } from "../../parent/connect-parent.ts";
import type { Session } from "../../session/session.ts";
import type { TalkAgent } from "../talk-agent.ts";
import type { TabTools } from "../talk-options.ts";
import type { Outbox } from "./outbox.ts";
import { whyNoTools } from "./tabs-text.ts";
import type { AiHttpError } from "pagewire/ai-agent";
import { PagewireError } from "pagewire/wire";

const most = 600;

/** Why there is no answer, in words. */
export function errorText(error: AiHttpError | Error): string {
  if (!("status" in error)) return wordsOf(error);
  const { status, statusText, body, retryAfter } = error;
  const why = reasonIn(body).slice(0, most);
  const when = retryAfter === undefined ? "" : ` It can be tried again in ${retryAfter} s.`;
  return `The model's API answered ${`${status} ${statusText}`.trimEnd()}${why && `: ${why}`}${when}`;
}

function wordsOf(error: Error): string {
  const { cause, message } = error;
  // The element's message names the element and its hub.
  if (PagewireError.isInstance(error) && error.code === "hub-unreachable" && cause instanceof Error)
    return `The hub could not be asked. ${cause.message}`;
  return message || "Something failed without saying what.";
}

/** The field of the reason in most APIs; else the unchanged body. */
function reasonIn(body: string): string {
  try {
    const { error, message } = Object(JSON.parse(body)) as { readonly error?: unknown; readonly message?: unknown };
    const inner = Object(error) as { readonly message?: unknown };
    const found = [inner.message, message, error].find((text) => typeof text === "string");
    return typeof found === "string" ? found : body;
  } catch {
    return body;
  }
}

/** The line below the conversation: what is pending, or why there is no answer, and whether a retry is possible. */
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
  // The window shows that the hub is unreachable; here it matters for the sent prompt.
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
