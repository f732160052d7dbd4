// Sends call events to the agents that watch their principal. The events of one moment are encoded once for all
// watchers. An agent that reads too slowly misses events, and receives the number of missed ones.
import type { Clock, Link } from "../../link/index.ts";
import type { AgentSession } from "../../switchboard/index.ts";
import { createBatch, encodeText } from "../../wire/index.ts";
import type { CallEvent, FrameToAgent, Limits, Message } from "../../wire/index.ts";

export interface Watcher {
  readonly session: Pick<AgentSession, "onCall">;
  readonly link: Pick<Link, "queuedBytes" | "send">;
  /** Whether it accepts messages with several frames. */
  readonly batches: boolean;
}

export interface Watchers {
  /** Adds one; the returned function removes it. */
  add(principal: string, watcher: Watcher): () => void;
}

export interface WatchersOptions {
  readonly clock: Clock;
  readonly limits: Pick<Limits, "changesTime" | "watchedEvents">;
  /** By default both are frames for agents. */
  readonly encode?: (event: CallEvent) => string;
  readonly encodeMissed?: (count: number) => string;
}

/** An agent with more unread bytes than this is too slow. */
const mostWaiting = 16_384;

export function createWatchers(options: WatchersOptions): Watchers {
  const audiences = new Map<string, Audience>();

  return {
    add(principal, watcher) {
      const audience = audiences.get(principal) ?? createAudience(options);
      audiences.set(principal, audience);
      audience.add(watcher);
      return () => {
        audience.remove(watcher);
        if (audience.size === 0 && audiences.get(principal) === audience) audiences.delete(principal);
      };
    },
  };
}

interface Audience {
  readonly size: number;
  add(watcher: Watcher): void;
  remove(watcher: Watcher): void;
}

function createAudience(options: WatchersOptions): Audience {
  const { clock, limits, encode = encodeEvent, encodeMissed = missedFrame } = options;
  /** Each with its number of missed events that were not reported yet. */
  const members = new Map<Watcher, number>();
  let listening: { readonly watcher: Watcher; readonly stop: () => void } | undefined;
  let stopTimer: (() => void) | undefined;
  let events: CallEvent[] = [];
  let missedByAll = 0;

  /** All of them receive the same events, so one session listens for all. */
  function listen(): void {
    if (listening && members.has(listening.watcher)) return;
    listening?.stop();
    const [watcher] = members.keys();
    listening = watcher && { watcher, stop: watcher.session.onCall(take) };
  }

  function take(event: CallEvent): void {
    // A shared budget: the cost does not grow with the number of watchers.
    if (events.length < Math.max(1, limits.watchedEvents / members.size)) events.push(event);
    else missedByAll++;
    stopTimer ??= clock.after(limits.changesTime, flush);
  }

  function flush(): void {
    stopTimer?.();
    stopTimer = undefined;
    const total = events.length + missedByAll;
    const frames = [...events.map(encode), ...(missedByAll > 0 ? [encodeMissed(missedByAll)] : [])];
    events = [];
    missedByAll = 0;
    const joined = once(() => joinFrames(frames));
    const apart = once(() => frames.map((frame) => Buffer.from(frame)));
    for (const [watcher, missed] of members) {
      const { link, batches } = watcher;
      const keepsUp = link.queuedBytes <= mostWaiting;
      members.set(watcher, keepsUp ? 0 : missed + total);
      if (!keepsUp) {
        stopTimer ??= clock.after(limits.changesTime, flush);
      } else {
        if (missed > 0) link.send(encodeMissed(missed));
        for (const message of batches ? joined() : apart()) link.send(message);
      }
    }
  }

  return {
    get size() {
      return members.size;
    },
    add(watcher) {
      // Earlier events are not for the new watcher.
      flush();
      members.set(watcher, 0);
      listen();
    },
    remove(watcher) {
      flush();
      members.delete(watcher);
      listen();
      if (members.size > 0) return;
      stopTimer?.();
      stopTimer = undefined;
    },
  };
}

function encodeEvent(event: CallEvent): string {
  return encodeText({ type: "watched" }, JSON.stringify(event));
}

function missedFrame(count: number): string {
  return encodeText({ type: "missed", count } satisfies FrameToAgent);
}

/** Packs the frames into as few messages as possible, as bytes: a text would be encoded once per receiver. */
function joinFrames(frames: readonly string[]): readonly Message[] {
  const messages: Message[] = [];
  const batch = createBatch((message) => messages.push(Buffer.from(message)));
  for (const frame of frames) batch.add(frame);
  batch.flush();
  return messages;
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
