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
  /** The end of the ids of a stream's events: letters, digits, - and _ only; asked when it begins. */
  readonly markOf?: (streamId: string) => string;
}

/** An event; one without text only carries its id. */
export interface StoredEvent {
  readonly id: string;
  readonly text: string;
}

interface Stream {
  readonly id: string;
  readonly budget: Budget;
  readonly number: number;
  readonly mark: string;
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
export const notificationStream = "news";

export class EventLog {
  readonly #options: EventLogOptions;
  readonly #prefix: string;
  /** The most recently used last. */
  readonly #streams = new Map<string, Stream>();
  readonly #ofListening: Budget = { events: new Set(), bytes: 0 };
  readonly #ofCalls: Budget = { events: new Set(), bytes: 0 };
  #streamsBegun = 0;
  #stopWaiting: (() => void) | undefined;
  #isClosed = false;

  constructor(options: EventLogOptions) {
    this.#options = options;
    this.#prefix = options.newId();
  }

  /** Stores an event and returns its id. `isLast` closes the stream's log. */
  store(streamId: string, text: string, isLast = false): string {
    const { limits, clock, held, onFull } = this.#options;
    const stream = this.#streamOf(streamId);
    const bytes = Buffer.byteLength(text);
    const sequence = ++stream.last;
    stream.isAnswered ||= isLast;
    const isFull = held.bytes + bytes > limits.replayBytesPerPrincipal;
    if (isFull && !this.#isClosed) onFull?.();
    if (this.#isClosed || bytes > limits.replayBytes || isFull) {
      // One large event must not evict all others, nor one session the events of another.
      stream.dropped = sequence;
    } else {
      stream.budget.events.add({ stream, sequence, text, bytes, at: clock.now() });
      stream.budget.bytes += bytes;
      held.bytes += bytes;
      stream.held++;
    }
    this.#trim();
    return this.#idOf(stream, sequence);
  }

  /**
   * The events after an event on its stream, if all are still stored; otherwise refused: a client takes the replay for
   * complete, and would wait forever for a lost answer.
   */
  after(eventId: string): { readonly stream: string; readonly events: readonly StoredEvent[] } | undefined {
    this.#trim();
    const { log, number, sequence, mark } = parseEventId(eventId);
    const stream = [...this.#streams.values()].find((one) => String(one.number) === number);
    const seen = Number(sequence);
    const isOurs = stream && log === this.#prefix && mark === stream.mark;
    const isKnown = isOurs && seen > 0 && seen >= stream.dropped && seen <= stream.last;
    if (!isKnown) return undefined;
    const missed = [...stream.budget.events].filter((event) => event.stream === stream && event.sequence > seen);
    if (missed.length !== stream.last - seen) return undefined;
    return {
      stream: stream.id,
      events: missed.map((event) => ({ id: this.#idOf(stream, event.sequence), text: event.text })),
    };
  }

  /** The end of the id of an event of another log; undefined if it is an id of this one, or none. */
  markIn(eventId: string): string | undefined {
    const { log, mark } = parseEventId(eventId);
    return log === undefined || log === this.#prefix ? undefined : mark;
  }

  /** Drops all events. Later ones cannot be replayed. */
  close(): void {
    this.#isClosed = true;
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    for (const budget of [this.#ofListening, this.#ofCalls]) {
      budget.events.clear();
      this.#options.held.bytes -= budget.bytes;
      budget.bytes = 0;
    }
    this.#streams.clear();
  }

  #idOf(stream: Stream, sequence: number): string {
    return `${this.#prefix}.${stream.number}.${sequence}${stream.mark === "" ? "" : `.${stream.mark}`}`;
  }

  #streamOf(id: string): Stream {
    const known = this.#streams.get(id);
    const budget = id === notificationStream ? this.#ofListening : this.#ofCalls;
    const stream = known ?? {
      id,
      budget,
      number: ++this.#streamsBegun,
      mark: this.#options.markOf?.(id) ?? "",
      last: 0,
      dropped: 0,
      held: 0,
      isAnswered: false,
    };
    this.#streams.delete(id);
    this.#streams.set(id, stream);
    return stream;
  }

  #trim(): void {
    const { limits, clock } = this.#options;
    const oldest = clock.now() - limits.replayTime;
    let next = Infinity;
    for (const budget of [this.#ofListening, this.#ofCalls]) {
      const { events } = budget;
      for (const event of events) {
        if (event.at > oldest && events.size <= limits.replayEvents && budget.bytes <= limits.replayBytes) {
          next = Math.min(next, event.at);
          break;
        }
        this.#drop(event);
      }
    }
    for (const stream of this.#streams.values()) {
      if (this.#streams.size <= limits.replayEvents) break;
      if (stream.held === 0) this.#streams.delete(stream.id);
    }
    if (next === Infinity || this.#stopWaiting) return;
    this.#stopWaiting = clock.after(next - oldest, () => {
      this.#stopWaiting = undefined;
      this.#trim();
    });
  }

  #drop(event: HeldEvent): void {
    const { stream, sequence, bytes } = event;
    stream.budget.events.delete(event);
    stream.budget.bytes -= bytes;
    this.#options.held.bytes -= bytes;
    stream.held--;
    stream.dropped = Math.max(stream.dropped, sequence);
    // A closed stream without stored events. A silent open one stays, so that it can always be resumed.
    if (stream.held === 0 && stream.isAnswered) this.#streams.delete(stream.id);
  }
}

function parseEventId(eventId: string) {
  const [, log, number, sequence, mark = ""] = /^([^.]+)\.(\d+)\.(\d+)(?:\.([\w-]+))?$/.exec(eventId) ?? [];
  return { log, number, sequence, mark };
}
