import type { RequestMessage } from "./message.ts";

/** A request of the client that has no answer yet. */
export interface Flight {
  readonly request: RequestMessage;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Whether it was answered or abandoned; it must not get another answer. */
  readonly isOver: boolean;
  /** Whether the hub may have started it. */
  readonly sent: boolean;
  markSent(): void;
  /** Sends its answer. */
  answer(text: string): void;
  /** Abandons it; it gets no answer. */
  end(): void;
  /** Aborts everything that is pending for it. */
  abort(): void;
}

export interface Flights {
  /** Number of flights. */
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
