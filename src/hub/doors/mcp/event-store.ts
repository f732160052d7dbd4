// What a session of a legacy client was sent last, for a client whose stream broke: it goes on after the event that it
// saw last. One store is one session's, and knows nothing of others. What is held is bounded, and never incomplete.
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";
import type { Clock } from "../../../link/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";

export interface SessionEventsOptions {
  readonly limits: Pick<Limits, "replayEvents" | "replayBytes" | "replayTime">;
  readonly clock: Clock;
  /** Makes ids that nobody guesses: the events of another session must not be known here. */
  readonly newId: () => string;
}

/** The events of one session, as the SDK's transport keeps and asks for them. */
export interface SessionEvents extends Required<EventStore> {
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

/** What the SDK's transport calls the stream on which a session is told what it did not ask for. */
const listeningStream = "_GET_stream";

/** Makes the store of one session. */
export function createEventStore({ limits, clock, newId }: SessionEventsOptions): SessionEvents {
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
    const budget = id === listeningStream ? ofListening : ofCalls;
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

  /**
   * Where a client stopped, if everything that came after it is still held. Where something is missing it is refused:
   * a client that resumes takes what it gets for all there was, and would wait for a lost answer for ever.
   */
  const find = (eventId: string) => {
    trim();
    const [, given, number, sequence] = /^(.+)\.(\d+)\.(\d+)$/s.exec(eventId) ?? [];
    const stream = [...streams.values()].find((one) => String(one.number) === number);
    const after = Number(sequence);
    const isKnown = stream && given === prefix && after > 0 && after >= stream.dropped && after <= stream.last;
    return isKnown ? { stream, after } : undefined;
  };

  return {
    async storeEvent(streamId, message) {
      const stream = streamOf(streamId);
      const text = JSON.stringify(message);
      const bytes = Buffer.byteLength(text);
      const sequence = ++stream.last;
      stream.isAnswered ||= "result" in message || "error" in message;
      if (isClosed || bytes > limits.replayBytes) {
        // One large event does not push out all others.
        stream.dropped = sequence;
      } else {
        stream.budget.events.add({ stream, sequence, text, bytes, at: clock.now() });
        stream.budget.bytes += bytes;
        stream.held++;
      }
      trim();
      return idOf(stream, sequence);
    },

    // The transport answers 400 to an event that has no stream, and 500 to whatever goes wrong later.
    getStreamIdForEventId: async (eventId) => find(eventId)?.stream.id,

    async replayEventsAfter(eventId, { send }) {
      const found = find(eventId);
      if (!found) throw notHeld();
      const { stream } = found;
      let last = found.after;
      // Also what is stored meanwhile: until all of it is sent, the transport does not know the stream to be open.
      for (const event of stream.budget.events) {
        if (event.stream !== stream || event.sequence <= last) continue;
        if (event.sequence !== last + 1) throw notHeld();
        last = event.sequence;
        const message = JSON.parse(event.text) as JSONRPCMessage;
        // The event with which a stream begins is empty: it is there for its id.
        if (Object.keys(message).length > 0) await send(idOf(stream, last), message);
      }
      if (last !== stream.last) throw notHeld();
      return stream.id;
    },

    close() {
      isClosed = true;
      stopWaiting?.();
      stopWaiting = undefined;
      for (const budget of budgets) {
        budget.events.clear();
        budget.bytes = 0;
      }
      streams.clear();
    },
  };
}

function notHeld(): PagewireError {
  return new PagewireError("request-malformed", "The events after this one are not held any more. Begin a new stream.");
}
