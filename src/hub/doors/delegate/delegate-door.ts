// The door for programs in a terminal, which ask the terminal's tab to act: `POST /api/browser-delegate`, the same with
// `/stream` for answers in chunks, and `GET …/actions` for the list of actions. The token identifies the terminal, and
// the hub knows its tab: a call never names its target.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../../link/index.ts";
import type { AgentSession } from "../../../switchboard/index.ts";
import { PagewireError, callTimeKey } from "../../../wire/index.ts";
import type { Outcome } from "../../../wire/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { Passed } from "../../guard/guard.ts";
import { limitReading, pathOf, readBody } from "../../http/exchange.ts";
import { respondText } from "../../http/respond.ts";
import type { Terminals } from "../../terminals/terminals.ts";
import { challengeOf, createCallers, createOpenAnswers } from "../callers.ts";
import type { Door } from "../door.ts";
import { failureOfError, respondFailure, tabClosed } from "./failure.ts";
import { keyWithin, readCall } from "./read-call.ts";
import type { DelegateCall } from "./read-call.ts";
import { readEnd } from "./read-end.ts";
import type { DelegateEnd } from "./read-end.ts";
import { runStream } from "./run-stream.ts";
import { runWhole } from "./run.ts";
import type { DelegateRun } from "./run.ts";

export interface DelegateDoor {
  /** The number of unfinished requests. */
  readonly open: number;
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
  /** Refuses a request in this door's own error format. */
  refuse(response: ServerResponse, error: unknown): void;
  /** Disconnects programs whose terminal has ended. */
  review(): void;
}

export interface DelegateDoorParts {
  readonly terminals: Terminals;
  readonly clock: Clock;
}

export function createDelegateDoor(door: Door, { terminals, clock }: DelegateDoorParts): DelegateDoor {
  const { limits, switchboard } = door;
  const asTerminal: Pick<typeof switchboard, "agent"> = {
    agent: (identity) => switchboard.agent({ ...identity, isTerminal: true }),
  };
  const callers = createCallers(asTerminal, { door: "delegate", max: limits.mcpSessions });
  const answers = createOpenAnswers(door);

  /** The terminal's tab. The browser id in the request must be the terminal's name or the tab's id. */
  function tabOf(terminal: string, named: string): string {
    const tab = terminals.attachedTab(terminal);
    if (named !== terminal && named !== tab) throw new PagewireError("browser-unknown", unknown);
    if (tab === undefined) throw new PagewireError("browser-missing", missing);
    return tab;
  }

  /** The target of a call. A call with a key may be a retry, which gets the earlier answer from any tab. */
  function aimOf(terminal: string, named: string, key: string | undefined): { tab?: string; refusal?: Outcome } {
    try {
      return { tab: tabOf(terminal, named) };
    } catch (error) {
      if (key === undefined || !PagewireError.isInstance(error) || error.code !== "browser-missing") throw error;
      return { refusal: { outcome: "rejected", ran: "no", code: error.code, message: error.message } };
    }
  }

  function timeOf(agent: AgentSession, { action, time }: DelegateCall, tab: string | undefined): number {
    const wish = tab === undefined ? undefined : agent.tool(action, tab)?._meta?.[callTimeKey];
    const usual = typeof wish === "number" && wish > 0 ? wish : limits.delegateTime;
    return Math.min(time ?? usual, limits.callTimeMost);
  }

  async function readRun(request: IncomingMessage, response: ServerResponse, admitted: Admitted): Promise<DelegateRun> {
    const trace = door.readTrace(request.headers);
    const body = await readBody(request, limits.frameBytes, { arrivals: door.arrivals, whose: admitted });
    const call = readCall(request.headers, body, limits);
    const key = keyWithin(admitted.credential, call.key);
    const { tab, refusal = door.refusal() } = aimOf(admitted.terminal ?? "", call.browserId, key);
    const agent = callers.of(admitted, agentOf(request));
    const { action, arguments: given } = call;
    const aim = { name: action, arguments: given, tab, isOwnName: true, key, trace } as const;
    return {
      call,
      response,
      time: timeOf(agent, call, tab),
      begin: (listener, left) => agent.call({ method: "tools/call", ...aim, left, refusal }, listener),
      endOf(outcome) {
        const isOurs = outcome === refusal || challengeOf(door, outcome, admitted) !== undefined;
        return isOurs ? refused(outcome) : readEnd(action, outcome, limits.jsonDepth);
      },
      idOf: ({ id }) => id || door.newId(),
    };
  }

  return {
    get open() {
      return answers.passing;
    },
    async serve(request, response, { admitted }) {
      if (admitted?.terminal === undefined)
        throw new PagewireError("token-required", "Only programs in a terminal can.");
      answers.add(response, admitted);
      const path = pathOf(request);
      if (path.endsWith("/actions")) {
        const { terminal } = admitted;
        const about = describeActions(callers.of(admitted, agentOf(request)), terminal, tabOf(terminal, terminal));
        return respondText(response, { text: JSON.stringify(about), type: "application/json" });
      }
      const run = await readRun(request, response, admitted);
      const onWritten = () => answers.unread(response);
      await (path.endsWith("/stream") ? runStream(run, { limits, clock, onWritten }) : runWhole(run, limits.jsonDepth));
      answers.unread(response);
      limitReading(response, limits.requestTime);
    },
    refuse(response, error) {
      if (response.headersSent || response.destroyed) return void response.destroy();
      // The rest of an unread body must not be parsed as the next request.
      respondFailure(response, failureOfError(error), { Connection: "close" });
    },
    review: answers.review,
  };
}

/**
 * The hub's own refusal, for example while it stops, or of a tool that the terminal's token is not for. Outcomes of calls are read as the page's, which may not use these
 * codes.
 */
function refused({ code = "going-away", message = "", retryAfter = 0 }: Outcome): DelegateEnd {
  return { failure: failureOfError(new PagewireError(code, message, { retryAfter })) };
}

const unknown =
  "This id names neither the terminal of the token nor the tab that it is in. Ask for it: pagewire browser-id";
const missing = "This terminal is in no tab. Open it in one, or attach it with: pagewire attach-browser <id>";

function agentOf({ headers }: IncomingMessage): { readonly name: string } {
  return { name: (headers["user-agent"] ?? "terminal").slice(0, 128) };
}

/** The actions that a terminal's programs can request from its tab, with their input schemas. */
function describeActions(agent: AgentSession, terminal: string, tab: string): object {
  const found = agent.tabs().find(({ tabId }) => tabId === tab);
  if (!found) throw new PagewireError("tab-not-found", tabClosed);
  const { tabId: id, title, origin, url, app } = found;
  const actions = agent.tabOffer(tab).tools.map(({ name, title: heading, description, inputSchema, annotations }) => {
    return { name, title: heading, description, inputSchema, annotations };
  });
  return { browser_id: terminal, tab: { id, title, origin, url, app }, actions };
}
