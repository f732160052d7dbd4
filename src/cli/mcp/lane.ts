import type { HubHttp } from "./upstream/hub-http.ts";
import type { Waiting } from "./upstream/wait.ts";
import type { Writable } from "node:stream";
import type { RequestMessage } from "./message.ts";

/** The shared dependencies of both lanes. */
export interface LaneOptions {
  readonly hub: HubHttp;
  readonly output: Output;
  readonly waiting: Waiting;
  /** Prints a line for the user. */
  note(text: string): void;
}

/** The stream to the client: one message a line, and nothing else. */
interface Output {
  /** Sends a message. It must not hold a newline. */
  send(text: string): void;
  /** Resolves when the client has read enough that there is room for more. */
  room(): Promise<void>;
  /** Whether the client has unread output. */
  readonly isBehind: boolean;
}

export function createOutput(stream: Writable): Output {
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  for (const event of ["drain", "close", "error"]) stream.on(event, wake);

  return {
    send(text) {
      if (stream.writable) stream.write(`${text}\n`);
    },
    async room() {
      if (!stream.writable || !stream.writableNeedDrain) return;
      await new Promise<void>((resolve) => waiting.add(resolve));
    },
    get isBehind() {
      return stream.writableLength > 0;
    },
  };
}

/** A request of the client that has no answer yet. */
export interface Flight {
  readonly request: RequestMessage;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Whether it was answered or abandoned; it must not get another answer. */
  readonly isOver: boolean;
  readonly sent: boolean;
  markSent(): void;
  answer(text: string): void;
  /** Abandons it; it gets no answer. */
  end(): void;
  /** Aborts everything that is pending for it. */
  abort(): void;
}

interface Flights {
  readonly count: number;
  begin(request: RequestMessage): Flight;
  /** The flights with this id: a client may use one twice. */
  withId(id: unknown): readonly Flight[];
  abortAll(): void;
}

/** Tracks the pending requests of one client. */
export function createFlights(send: (text: string) => void): Flights {
  const flights = new Set<Flight>();

  function begin(request: RequestMessage): Flight {
    const aborter = new AbortController();
    let sent = false;
    const flight: Flight = {
      request,
      signal: aborter.signal,
      get isOver() {
        return !flights.has(flight);
      },
      get sent() {
        return sent;
      },
      markSent() {
        sent = true;
      },
      answer(text) {
        if (flights.delete(flight)) send(text);
      },
      end: () => void flights.delete(flight),
      abort() {
        flights.delete(flight);
        aborter.abort(new Error("cancelled"));
      },
    };
    flights.add(flight);
    return flight;
  }

  return {
    get count() {
      return flights.size;
    },
    begin,
    withId: (id) => [...flights].filter(({ request }) => request.id === id),
    abortAll() {
      for (const flight of [...flights]) flight.abort();
    },
  };
}
