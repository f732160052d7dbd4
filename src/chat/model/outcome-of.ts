import { hostOf } from "./hosts.ts";
import type { TalkParentState } from "../talk-parent.ts";
import type { TalkAgent } from "../talk-agent.ts";
import type { TabTools, TalkPage, TalkSession } from "../talk-options.ts";
import type { Outbox } from "./outbox.ts";
import type { AiHttpError } from "../../element/index.ts";
import { PagewireError } from "../../wire/index.ts";

const most = 600;

/** Why there is no answer, in words. */
export function errorText(error: AiHttpError | Error): string {
  if (!("status" in error)) return wordsOf(error);
  const { status, statusText, body, retryAfter } = error;
  const { reason, isHubs } = reasonIn(body);
  const why = reason.slice(0, most);
  if (isHubs) return why;
  const next = retryAfter === undefined ? nextStep(status) : ` It can be tried again in ${retryAfter} s.`;
  const said = `The model's API answered ${`${status} ${statusText}`.trimEnd()}${why && `: ${why}`}`;
  return next === "" ? said : `${said.replace(/\.?$/, ".")}${next}`;
}

function nextStep(status: number): string {
  if (status === 401 || status === 403) return " Check the API key, and that it may use this model.";
  if (status === 404) return " Check the model's name and the base URL.";
  if (status === 429) return " Wait a moment, or check the limits of the account.";
  return "";
}

function wordsOf(error: Error): string {
  const { cause, message } = error;
  // The element's message names the element and its hub.
  if (PagewireError.isInstance(error) && error.code === "hub-unreachable" && cause instanceof Error)
    return `The hub could not be asked. ${cause.message}`;
  // A browser says no more than this of a request that it did not send, or whose answer it keeps from the page.
  if (error instanceof TypeError && /fetch|network|load failed/i.test(message)) return unreachable;
  return message || "Something failed without saying what.";
}

const unreachable =
  "The model's API could not be reached. Check the connection and the base URL, and that the API allows requests from this page.";

interface Reason {
  readonly reason: string;
  /** The hub refused by itself, such as for a quota: its words say what to do. */
  readonly isHubs?: boolean;
}

/** The field of the reason in most APIs, else a plain text; other JSON and pages are for programs. */
function reasonIn(body: string): Reason {
  try {
    const answer = Object(JSON.parse(body)) as Readonly<Record<string, unknown>>;
    const [first] = Array.isArray(answer) ? (answer as unknown[]) : [answer];
    const { error, message, detail } = Object(first) as Readonly<Record<string, unknown>>;
    const inner = Object(error) as { readonly message?: unknown; readonly type?: unknown };
    const found = [inner.message, message, detail, error].find((text) => typeof text === "string");
    const reason = typeof found === "string" ? found : "";
    return { reason, isHubs: reason !== "" && inner.type === "pagewire" };
  } catch {
    return { reason: /^\s*[<{[]/.test(body) ? "" : body.trim() };
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
  readonly parent: TalkParentState;
  readonly session: TalkSession;
  readonly tabs?: TabTools | undefined;
  readonly page?: Pick<TalkPage, "problem"> | undefined;
  /** The role of the conversation's last message. */
  readonly lastRole: string | undefined;
}

/** Undefined where all is well. */
export function outcomeOf({ agent, outbox, session, parent, tabs, page, lastRole }: OutcomeNeeds): Outcome | undefined {
  const { connection } = agent;
  const error = outbox.problem ?? agent.error;
  const isRefused = connection === "closed" && error !== null && /has no model/.test(errorText(error));
  if (session.info.model === null || isRefused) return { text: noModel, isFailure: true, canTryAgain: false };
  if (page?.problem !== undefined) return { text: page.problem, isFailure: true, canTryAgain: false };
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

function appOf(parent: TalkParentState): string {
  if (parent.kind === "none") return "the tools of your tabs";
  return "origin" in parent && parent.origin !== undefined ? hostOf(parent.origin) : "the app";
}

/**
 * Why the assistant has no tools at the hub's home, and what to do; undefined if it has some, or that is still unknown.
 */
export function whyNoTools(parent: TalkParentState, tabs: TabTools | undefined): string | undefined {
  return parent.kind === "none" ? tabs?.whyNone : undefined;
}
