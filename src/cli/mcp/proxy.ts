// Routes messages between a client's lines and a hub's HTTP. Requests run in parallel, and answers are forwarded as
// they arrive.
import { PagewireError, defaultLimits } from "../../wire/index.ts";
import { errorAnswer, failureOf, namedFailure } from "./failure.ts";
import { createFlights } from "./lane.ts";
import type { Flight, LaneOptions } from "./lane.ts";
import { LegacyLane } from "./legacy-lane.ts";
import { idOfLongRequest, invalidRequest, parseError, parseMessage } from "./message.ts";
import type { NotificationMessage } from "./message.ts";
import { createModernLane } from "./modern-lane.ts";
import { versionOf } from "./request-headers.ts";

export interface Proxy {
  /** Handles a line from the client. */
  line(text: string): void;
  /** Handles a line that is not valid text. */
  notText(): void;
  /** Handles a line that was too long, of which only the two ends are known. */
  tooLong(begin: string, end: string): void;
  /** Aborts all requests and ends the session at the hub. */
  close(): Promise<void>;
}

export function createProxy(options: LaneOptions): Proxy {
  const { output } = options;
  const flights = createFlights(output.send);
  const modern = createModernLane(options);
  const legacy = new LegacyLane(options);

  async function run(flight: Flight): Promise<void> {
    const { request } = flight;
    try {
      if (flights.count > defaultLimits.callsPerAgent) throw tooMany();
      await (versionOf(request) === undefined ? legacy : modern).request(flight);
    } catch (error) {
      // A request that was answered or given up gets no further answer.
      if (!flight.isOver) flight.answer(errorAnswer(request.id, failureOf(error, request)));
    }
  }

  function notify(message: NotificationMessage): void {
    const cancelled = message.method === "notifications/cancelled" ? flights.withId(message.params["requestId"]) : [];
    if (cancelled.length === 0) return void legacy.notify(message);
    for (const flight of cancelled) void cancel(flight, message);
  }

  async function cancel(flight: Flight, message: NotificationMessage): Promise<void> {
    flight.end();
    // A request that was not sent yet needs no cancellation at the hub.
    if (flight.sent && versionOf(flight.request) === undefined) await legacy.notify(message);
    flight.abort();
  }

  return {
    line(text) {
      const message = parseMessage(text);
      if (message.kind === "request") return void run(flights.begin(message));
      if (message.kind === "notification") return notify(message);
      if (message.kind === "answer") return void legacy.answer(message);
      output.send(errorAnswer(message.id, { code: message.code, message: message.reason }));
    },
    notText: () => output.send(errorAnswer(null, { code: parseError, message: "A line is not UTF-8." })),
    tooLong: (begin, end) => output.send(errorAnswer(idOfLongRequest(begin, end) ?? null, tooLong)),
    async close() {
      // First, so that the hub does not wait for the aborted requests to be resumed.
      await legacy.close();
      flights.abortAll();
    },
  };
}

const tooLong = {
  ...namedFailure(
    `A line is longer than the limit frameBytes (${defaultLimits.frameBytes} bytes). It was not read. Send less at once.`,
    "frame-too-large",
    "no",
  ),
  code: invalidRequest,
};

function tooMany(): PagewireError {
  return new PagewireError(
    "calls-too-many",
    `More requests are under way than the limit callsPerAgent (${defaultLimits.callsPerAgent}). Wait until some are answered.`,
  );
}
