// The chat door: an agent's window brings the tools of the page that opened it, and transports the calls to them. A
// session has the id of the conversation that may use the tools.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock, Link } from "../../../link/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import { closeWith } from "../../sockets/closing.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { originRefused } from "../../guard/root-credentials.ts";
import type { Passed } from "../../guard/guard.ts";
import type { Pins } from "../../approvals/pins.ts";
import { checkJson, readBody } from "../../http/exchange.ts";
import { passedFor } from "../../http/tunnel-socket.ts";
import { respondText } from "../../http/respond.ts";
import { homeOf, isElsewhere, newConversationId } from "../../store/index.ts";
import type { Door } from "../door.ts";
import { readOffer } from "./read-offer.ts";
import type { WindowSession } from "./window-session.ts";
import { createWindowSessions } from "./window-sessions.ts";

export interface WindowDoor {
  serveTools(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
  /** Serves the socket of a session; the guard has authenticated it. */
  serve(link: Link, session: string, admitted: Admitted): void;
  find(principal: string, conversation: string): WindowSession | undefined;
  /** Why messages and tools of this origin's pages are refused now; undefined if they are not. */
  refusalOf(origin: string | undefined): PagewireError | undefined;
  /** Called when the allowed origins may have changed. */
  review(): void;
  /** Ends all sessions and calls. */
  close(): void;
}

export interface WindowDoorOptions {
  readonly clock: Clock;
  readonly pins: Pick<Pins, "withheld">;
  readonly allowedOrigins: () => readonly string[];
}

export function createWindowDoor(
  { limits, metrics, note, tracing, audit, arrivals, policy, cluster, homes }: Door,
  { clock, pins, allowedOrigins }: WindowDoorOptions,
): WindowDoor {
  const refusalOf: WindowDoor["refusalOf"] = (origin) =>
    origin === undefined || allowedOrigins().includes(origin) ? undefined : originRefused(origin);
  const sessions = createWindowSessions({ audit, policy, pins, clock, limits, metrics, tracing, refusalOf });

  function turnAway(link: Link, error: PagewireError): void {
    metrics.refused(error.code);
    note("warn", "window-refused", { code: error.code });
    link.start({ message: () => {}, closed: () => {} });
    closeWith(link, error);
  }

  return {
    async serveTools(request, response, { admitted }) {
      if (!admitted) throw new PagewireError("token-required", "An agent's window needs the token of its user.");
      checkJson(request, "The tools");
      const body = await readBody(request, limits.frameBytes, { arrivals, whose: admitted });
      const { session: session_id = newConversationId(), offer } = readOffer(body, limits);
      const refusal = refusalOf(offer.origin);
      if (refusal) throw refusal;
      const { principal } = admitted;
      const hold = await homes?.hold(homeOf({ principal, id: session_id }), () => sessions.end(principal, session_id));
      if (typeof hold === "string") {
        if (!cluster || passedFor(request) !== undefined) throw isElsewhere();
        return cluster.others.pass(hold, { request, response, body });
      }
      try {
        sessions.keep(admitted, session_id, { offer, hold });
      } catch (error) {
        hold?.close();
        throw error;
      }
      respondText(response, { text: JSON.stringify({ session_id }), type: "application/json" });
    },
    serve(link, id, { principal }) {
      const session = sessions.find(principal, id);
      if (!session) return turnAway(link, sessionNotFound());
      const refusal = refusalOf(session.offer.origin);
      if (refusal) return turnAway(link, refusal);
      note("info", "window-connected", { origin: session.offer.origin ?? "none" });
      session.attach(link);
    },
    find: sessions.find,
    refusalOf,
    review: sessions.review,
    close: sessions.close,
  };
}

function sessionNotFound(): PagewireError {
  return new PagewireError("session-not-found", "There is no such session. Send the tools, and come again.");
}
