// What a session of a legacy client was sent last, for a client whose stream broke: it goes on after the event that it
// saw last. One store is one session's, and knows nothing of others. What is held is bounded, and never incomplete.
import type { Clock } from "../../../link/index.ts";
import type { Limits } from "../../../wire/index.ts";

export interface EventLogOptions {
  readonly limits: Pick<Limits, "replayEvents" | "replayBytes" | "replayTime" | "replayBytesPerPrincipal">;
  readonly clock: Clock;
  /** What the logs of the same principal hold. */
  readonly held: { bytes: number };
  /** Is called when those hold as much as they may, so that an event is not kept. */
  readonly onFull?: () => void;
  /** Makes ids that nobody guesses: the events of another session must not be known here. */
  readonly newId: () => string;
}

/** An event, as it is sent and sent again. One without a text is there for its id. */
export interface StoredEvent {
  readonly id: string;
  readonly text: string;
}

/** The events of one session. */
export interface EventLog {
  /** Keeps an event, and returns its id. After the last one nothing comes on this stream. */
  store(stream: string, text: string, isLast?: boolean): string;
  /**
   * What came after an event on its stream, if all of that is still held. Where something is missing it is refused: a
   * client that resumes takes what it gets for all there was, and would wait for a lost answer for ever.
   */
  after(eventId: string): { readonly stream: string; readonly events: readonly StoredEvent[] } | undefined;
  /** Lets go of all events. What is stored afterwards cannot be replayed. */
  close(): void;
}

interface Stream {
  readonly id: string;
  readonly budget: Budget;
  readonly number: number;
  /** Its events are numbered from one; the last that was stored, and the last that is not held any more. */
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

/** The events of some streams that are held, oldest first. They push out each other, and none of other streams. */
interface Budget {
  readonly events: Set<HeldEvent>;
  bytes: number;
}

/** The stream on which a session is told what it did not ask for. */
export const newsStream = "news";

/** Makes the log of one session. */
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
    // The stream that was used last is the last of the map.
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
    // Nothing will come on it, and nothing of it is left. One that is only quiet is kept, to be resumed however old.
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
        // One large event does not push out all others, nor one session those of the others.
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
