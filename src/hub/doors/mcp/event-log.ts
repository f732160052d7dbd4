// The replay buffer of one session with an older revision: a client whose stream broke resumes after the last event that it
// received. It is bounded, and a replay is complete or refused.
import type { Clock } from "../../../link/index.ts";
import type { Limits } from "../../../wire/index.ts";

export interface EventLogOptions {
  readonly limits: Pick<Limits, "replayEvents" | "replayBytes" | "replayTime" | "replayBytesPerPrincipal">;
  readonly clock: Clock;
  /** The bytes in all logs of the principal. */
  readonly held: { bytes: number };
  /** Called when an event is not stored because the principal is at its limit. */
  readonly onFull?: () => void;
  /** Makes unguessable ids, so that no session can name another's events. */
  readonly newId: () => string;
}

/** An event; one without text only carries its id. */
export interface StoredEvent {
  readonly id: string;
  readonly text: string;
}

/** The events of one session. */
export interface EventLog {
  /** Stores an event and returns its id. `isLast` closes the stream's log. */
  store(stream: string, text: string, isLast?: boolean): string;
  /**
   * The events after an event on its stream, if all are still stored; otherwise refused: a client takes the replay for
   * complete, and would wait forever for a lost answer.
   */
  after(eventId: string): { readonly stream: string; readonly events: readonly StoredEvent[] } | undefined;
  /** Drops all events. Later ones cannot be replayed. */
  close(): void;
}

interface Stream {
  readonly id: string;
  readonly budget: Budget;
  readonly number: number;
  /** Events are numbered from one: the last stored, and the last dropped. */
  last: number;
  dropped: number;
  held: number;
  isAnswered: boolean;
}

interface HeldEvent {
  readonly stream: Stream;
  readonly sequence: number;
  readonly text: string;
  readonly bytes: number;
  readonly at: number;
}

/** A group of streams that share a limit: their events evict only each other. Oldest first. */
interface Budget {
  readonly events: Set<HeldEvent>;
  bytes: number;
}

/** The stream of notifications outside of requests. */
export const newsStream = "news";

export function createEventLog({ limits, clock, newId, held, onFull }: EventLogOptions): EventLog {
  const prefix = newId();
  const streams = new Map<string, Stream>();
  const ofListening: Budget = { events: new Set(), bytes: 0 };
  const ofCalls: Budget = { events: new Set(), bytes: 0 };
  const budgets = [ofListening, ofCalls];
  let streamsBegun = 0;
  let stopWaiting: (() => void) | undefined;
  let isClosed = false;

  const idOf = (stream: Stream, sequence: number) => `${prefix}.${stream.number}.${sequence}`;

  const streamOf = (id: string): Stream => {
    const known = streams.get(id);
    const budget = id === newsStream ? ofListening : ofCalls;
    const stream = known ?? { id, budget, number: ++streamsBegun, last: 0, dropped: 0, held: 0, isAnswered: false };
    // Most recently used last.
    streams.delete(id);
    streams.set(id, stream);
    return stream;
  };

  const drop = (event: HeldEvent) => {
    const { stream, sequence, bytes } = event;
    stream.budget.events.delete(event);
    stream.budget.bytes -= bytes;
    held.bytes -= bytes;
    stream.held--;
    stream.dropped = Math.max(stream.dropped, sequence);
    // A closed stream without stored events. A silent open one stays, so that it can always be resumed.
    if (stream.held === 0 && stream.isAnswered) streams.delete(stream.id);
  };

  const trim = () => {
    const oldest = clock.now() - limits.replayTime;
    for (const budget of budgets) {
      const { events } = budget;
      for (const event of events) {
        if (event.at > oldest && events.size <= limits.replayEvents && budget.bytes <= limits.replayBytes) break;
        drop(event);
      }
    }
    for (const stream of streams.values()) {
      if (streams.size <= limits.replayEvents) break;
      if (stream.held === 0) streams.delete(stream.id);
    }
    const next = Math.min(...budgets.flatMap(({ events: [first] }) => first?.at ?? []));
    if (next === Infinity || stopWaiting) return;
    stopWaiting = clock.after(next - oldest, () => {
      stopWaiting = undefined;
      trim();
    });
  };

  return {
    store(streamId, text, isLast = false) {
      const stream = streamOf(streamId);
      const bytes = Buffer.byteLength(text);
      const sequence = ++stream.last;
      stream.isAnswered ||= isLast;
      const isFull = held.bytes + bytes > limits.replayBytesPerPrincipal;
      if (isFull && !isClosed) onFull?.();
      if (isClosed || bytes > limits.replayBytes || isFull) {
        // One large event must not evict all others, nor one session the events of another.
        stream.dropped = sequence;
      } else {
        stream.budget.events.add({ stream, sequence, text, bytes, at: clock.now() });
        stream.budget.bytes += bytes;
        held.bytes += bytes;
        stream.held++;
      }
      trim();
      return idOf(stream, sequence);
    },
    after(eventId) {
      trim();
      const [, given, number, sequence] = /^(.+)\.(\d+)\.(\d+)$/s.exec(eventId) ?? [];
      const stream = [...streams.values()].find((one) => String(one.number) === number);
      const seen = Number(sequence);
      const isKnown = stream && given === prefix && seen > 0 && seen >= stream.dropped && seen <= stream.last;
      if (!isKnown) return undefined;
      const missed = [...stream.budget.events].filter((event) => event.stream === stream && event.sequence > seen);
      if (missed.length !== stream.last - seen) return undefined;
      return {
        stream: stream.id,
        events: missed.map((event) => ({ id: idOf(stream, event.sequence), text: event.text })),
      };
    },
    close() {
      isClosed = true;
      stopWaiting?.();
      stopWaiting = undefined;
      for (const budget of budgets) {
        budget.events.clear();
        held.bytes -= budget.bytes;
        budget.bytes = 0;
      }
      streams.clear();
    },
  };
}
