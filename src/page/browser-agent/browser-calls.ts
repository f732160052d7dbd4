// Runs the calls of the browser's own agent in the page's toolbox. That agent sets no timeout and takes no questions:
// the page asks its user instead.
import type { CallOutcome, LocalToolbox } from "../../toolbox/index.ts";
import { parseJsonObject } from "../../wire/index.ts";
import type { JsonObject, OnError, PageLimits } from "../../wire/index.ts";
import { answerOf, outcomeOf, pageClosed } from "../calls/answer.ts";
import type { Failure } from "../calls/answer.ts";
import { createAskInPage } from "../dialog/dialog.ts";
import type { TabEnvironment } from "../browser/environment.ts";
import type { CallFollowers, PageCallEvent } from "../api/page.ts";
import type { PageOptions } from "../api/page-options.ts";
import type { Dialog } from "../dialog/dialog.ts";

export interface BrowserServing {
  readonly native: PageOptions["native"] | undefined;
  readonly browserTools: PageOptions["browserTools"] | undefined;
  readonly toolbox: LocalToolbox;
  readonly limits: PageLimits;
  readonly loadDialog: () => Promise<Dialog>;
  readonly followers: CallFollowers;
  readonly onError: OnError;
  /** Stops serving when it aborts. */
  readonly signal: AbortSignal;
}

/** The chunk that only pages in a browser with an agent of its own load. */
export interface ModelContextPart {
  serveModelContext(options: BrowserServing): ServedBrowser;
}

export interface ServedBrowser {
  /** The page's tools that are registered with the browser now. */
  names(): readonly string[];
}

/** Runs a tool for the browser's agent. */
export type BrowserCall = (name: string, input: object, signal: AbortSignal) => Promise<CallOutcome>;

const agent = "browser";
const longestTime = 2 ** 31 - 1;

/** Followers are notified of each call. */
export function createBrowserCalls(
  { toolbox, limits, loadDialog, followers, signal: closing }: BrowserServing,
  { clock, date, newId }: Pick<TabEnvironment, "clock" | "date" | "newId">,
): BrowserCall {
  const askInPage = createAskInPage(loadDialog);

  return async (name, input, cancelling) => {
    const id = newId();
    const signal = AbortSignal.any([cancelling, closing]);
    /** Closes dialogs that a handler opened without waiting for them. */
    const ended = new AbortController();
    const asking = AbortSignal.any([signal, ended.signal]);
    const startedAt = clock.now();
    const notify = (event: Omit<PageCallEvent, "id" | "method" | "name" | "agent">) =>
      followers.tell({ ...event, id, method: "tools/call", name, agent });
    // A polyfill may pass any value, and change it later.
    const given = readInput(input, limits.jsonDepth);
    notify({ event: "started", arguments: given ?? {} });
    const outcome = given
      ? await toolbox.callTool(name, given, {
          callId: id,
          agent: { name: agent },
          signal,
          deadline: date() + longestTime,
          asks: [],
          rounds: false,
          progress: (progress, total) => notify({ event: "progress", progress, total }),
          log() {},
          ask: (method, parameters) => askInPage(method, parameters, asking),
        })
      : notAnObject;
    ended.abort();
    notify({ event: "ended", outcome: outcomeOf(answerOf(outcome, cancelled)), milliseconds: clock.now() - startedAt });
    return outcome.kind === "aborted" && closing.aborted ? { ...pageClosed, kind: "failed" } : outcome;
  };
}

function readInput(input: object, deepest: number): JsonObject | undefined {
  try {
    return parseJsonObject(JSON.stringify(input), deepest);
  } catch {
    return undefined;
  }
}

const notAnObject: CallOutcome = {
  kind: "refused",
  code: "arguments-malformed",
  message: "The arguments of the call are not a JSON object, or nest too deeply.",
};
const cancelled: Failure = { outcome: "cancelled", code: "cancelled", message: "The call was cancelled." };
