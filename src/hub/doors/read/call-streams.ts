// Events of calls as they happen, as server-sent events: those that `pagewire watch --json` prints.
import type { IncomingMessage, ServerResponse } from "node:http";
import { systemClock } from "../../../link/index.ts";
import type { AgentSession } from "../../../switchboard/index.ts";
import { PagewireError, textOf } from "../../../wire/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { Passed } from "../../guard/guard.ts";
import { onEnd } from "../../http/exchange.ts";
import type { OpenAnswers } from "../callers.ts";
import type { Door } from "../door.ts";
import { openEventStream } from "../event-stream.ts";
import { createWatchers } from "../watchers.ts";
import { readFilters } from "./read-filters.ts";

export interface CallStreams {
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): void;
}

export function createCallStreams(door: Door, answers: OpenAnswers): CallStreams {
  const { limits, metrics, note, switchboard } = door;
  const watchers = createWatchers({
    ...{ clock: systemClock, limits },
    encode: (event) => JSON.stringify(event),
    encodeMissed: (count) => timed({ event: "missed", count }),
  });

  function checkRoom({ principal, allowed }: Admitted): void {
    const { mcpStreamsPerPrincipal: max } = { ...limits, ...allowed };
    if (answers.standingOf(principal) < max) return;
    metrics.overBudget("mcpStreamsPerPrincipal");
    throw new PagewireError(
      "requests-too-many",
      `${max} streams of one user are open already (limit mcpStreamsPerPrincipal). End some of them.`,
    );
  }

  function onSlow(): void {
    metrics.refused("too-slow");
    note("warn", "request-refused", { code: "too-slow" });
  }

  return {
    serve(request, response, { admitted }) {
      if (!admitted) throw new PagewireError("token-required", "Agents need the hub's token.");
      readFilters(request, []);
      checkRoom(admitted);
      answers.add(response, admitted);
      answers.stand(response);
      const stream = openEventStream(response, { limits, onSlow, onUnread: answers.unread });
      if (request.method === "HEAD") return stream.end();
      const { principal, credential, allowed } = admitted;
      const agent = switchboard.agent({ principal, identity: credential, name: "reader", allowed });
      stream.send(timed({ event: "watching" }));
      const leave = watchers.add(principal, {
        session: withTimes(agent),
        link: {
          get queuedBytes() {
            return stream.unread;
          },
          send: (message) => stream.send(textOf(message)),
        },
        batches: false,
      });
      onEnd(response, () => {
        leave();
        agent.close();
      });
    },
  };
}

function timed(event: object): string {
  return JSON.stringify({ time: new Date().toISOString(), ...event });
}

function withTimes({ onCall }: Pick<AgentSession, "onCall">): Pick<AgentSession, "onCall"> {
  return {
    onCall: (listener) =>
      onCall((event) => {
        const seen = { time: new Date().toISOString(), ...event };
        listener(seen);
      }),
  };
}
