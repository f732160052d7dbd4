// Sends the events of calls to the agents that watch their principal. The events of a moment are encoded once, however
// many agents watch, and what an agent has not read in time is skipped: it gets the number of events that it missed.
import type { Clock, Link } from "../../link/index.ts";
import type { AgentSession } from "../../switchboard/index.ts";
import { createBatch, encodeText } from "../../wire/index.ts";
import type { CallEvent, FrameToAgent, Limits, Message } from "../../wire/index.ts";

export interface Watcher {
  readonly session: Pick<AgentSession, "onCall">;
  readonly link: Pick<Link, "queuedBytes" | "send">;
  /** Whether it takes messages of several frames. */
  readonly batches: boolean;
}

export interface Watchers {
  /** Adds one; the returned function removes it. */
  add(principal: string, watcher: Watcher): () => void;
}

export interface WatchersOptions {
  readonly clock: Clock;
  readonly limits: Pick<Limits, "changesTime" | "watchedEvents">;
  readonly encode?: (event: CallEvent) => string;
}

/** An agent with more than this waiting does not keep up. */
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

function createAudience({ clock, limits, encode = encodeEvent }: WatchersOptions): Audience {
  /** Each with the number of events that it missed and does not know of yet. */
  const members = new Map<Watcher, number>();
  let listening: { readonly watcher: Watcher; readonly stop: () => void } | undefined;
  let stopTimer: (() => void) | undefined;
  let events: CallEvent[] = [];
  let missedByAll = 0;

  /** All of them hear the same, so one session listens for all. */
  function listen(): void {
    if (listening && members.has(listening.watcher)) return;
    listening?.stop();
    const [watcher] = members.keys();
    listening = watcher && { watcher, stop: watcher.session.onCall(take) };
  }

  function take(event: CallEvent): void {
    // Together they cost the same, however many they are.
    if (events.length < Math.max(1, limits.watchedEvents / members.size)) events.push(event);
    else missedByAll++;
    stopTimer ??= clock.after(limits.changesTime, flush);
  }

  function flush(): void {
    stopTimer?.();
    stopTimer = undefined;
    const total = events.length + missedByAll;
    const frames = [...events.map(encode), ...(missedByAll > 0 ? [missedFrame(missedByAll)] : [])];
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
        if (missed > 0) link.send(missedFrame(missed));
        for (const message of batches ? joined() : apart()) link.send(message);
      }
    }
  }

  return {
    get size() {
      return members.size;
    },
    add(watcher) {
      // Events from before are not for it.
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

/** As few messages as these frames fit in, as bytes: a text would be turned into bytes for each receiver. */
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
