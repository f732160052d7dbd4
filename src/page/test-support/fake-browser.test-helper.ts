// A browser that the test controls: documents with storage, locks and channels, one clock, and a hub played by the
// test.
import { createMemoryLinks } from "../../link/index.ts";
import type { Link } from "../../link/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import type { FakeClock } from "../../testing/index.ts";
import { defaultLimits, encodeFrame, fromPage, parseFrame, splitBatch, textOf } from "../../wire/index.ts";
import type { CloseReason, FrameFromPage, FrameToPage, Message } from "../../wire/index.ts";
import type { DocumentListener, PageEnvironment, TabDescription, TabEnvironment } from "../browser/environment.ts";

type Frame<Type extends FrameFromPage["type"]> = Extract<FrameFromPage, { type: Type }>;

export type HeardFrame<Type extends FrameFromPage["type"]> = Frame<Type> & { readonly payload: string };

/** The hub's end of one link. */
export interface HubEnd {
  readonly url: string;
  /** Every message received, of one frame or several. */
  readonly messages: readonly string[];
  /** The types of all received frames, in order. */
  readonly types: readonly string[];
  /** Every received frame of this type. */
  heard<Type extends FrameFromPage["type"]>(type: Type): readonly HeardFrame<Type>[];
  /** Sends a frame, and waits until its effects have happened. */
  say(frame: FrameToPage, payload?: string): Promise<void>;
  sayRaw(message: Message): Promise<void>;
  close(reason?: CloseReason): Promise<void>;
  /** How the link ended. */
  readonly closing: CloseReason | undefined;
}

export interface FakeHub {
  /** While set, no link can be made. */
  isDown: boolean;
  /** The hub's ends of all links, in the order in which they were made. */
  readonly ends: readonly HubEnd[];
  /** The end of the link that was made last. */
  readonly end: HubEnd;
  /** Welcomes the page on the last link. */
  welcome(tab?: string, within?: number): Promise<HubEnd>;
}

export interface FakeDocument {
  readonly environment: PageEnvironment;
  readonly tabEnvironment: TabEnvironment;
  /** The tab's current description. */
  tab: TabDescription;
  happen(tell: (listener: DocumentListener) => void): Promise<void>;
  /** The tab gets the focus, or there is a network again. */
  wake(): Promise<void>;
  /** The browser turns out to have an agent of its own. */
  showModelContext(): Promise<void>;
  readonly listeners: number;
  /** While set, no script of the document runs: it receives no message, but still holds its locks. */
  isFrozen: boolean;
  /** The document is no more: its locks are free and its channels silent. */
  die(): void;
}

export interface FakeBrowser {
  readonly clock: FakeClock;
  readonly hub: FakeHub;
  /** Opens a document; a reload is one with the same storage, a duplicate one with a copy. */
  open(storage?: Map<string, string>, options?: { readonly hasLocks?: boolean }): FakeDocument;
  /** Whether any document holds this tab's lock. */
  isHeld(tab: string): boolean;
}

/** Milliseconds since 1970 when a fake clock reads zero. */
export const startDate = 1_800_000_000_000;

export function createFakeBrowser(): FakeBrowser {
  const clock = createFakeClock();
  const hub = createFakeHub(clock);
  const locks = createLocks();
  const channels = new Set<{ readonly name: string; hear(word: string): unknown }>();
  let ids = 0;

  return {
    clock,
    hub,
    isHeld: (tab) => locks.isHeld(`pagewire ${tab}`),
    open(storage = new Map(), { hasLocks = true } = {}) {
      const listeners = new Set<DocumentListener>();
      const wakers = new Set<() => void>();
      const seekers = new Set<() => unknown>();
      const death = new AbortController();
      const fake: FakeDocument = {
        tab: { title: "Shop", url: "https://shop.example/", focused: false },
        async happen(tell) {
          for (const listener of listeners) tell(listener);
          await clock.advance(0);
        },
        async showModelContext() {
          for (const seeker of seekers) seeker();
          await clock.advance(0);
        },
        async wake() {
          for (const waker of wakers) waker();
          await clock.advance(0);
        },
        get listeners() {
          return listeners.size + wakers.size + seekers.size;
        },
        isFrozen: false,
        die: () => death.abort(),
        environment: {
          clock,
          date: () => startDate + clock.now(),
          random: () => 0.5,
          openLink: (url) => hub.connect(url),
          via: () => ({ kind: "socket" }),
          onWoken(listener, signal) {
            wakers.add(listener);
            signal.addEventListener("abort", () => wakers.delete(listener));
          },
          onModelContext(listener, signal) {
            seekers.add(listener);
            signal.addEventListener("abort", () => seekers.delete(listener));
          },
        },
        tabEnvironment: {
          clock,
          date: () => startDate + clock.now(),
          newId: () => `new-tab-${++ids}`,
          storage: { get: (name) => storage.get(name), set: (name, value) => void storage.set(name, value) },
          takeLock: hasLocks ? (name, signal) => locks.take(name, AbortSignal.any([signal, death.signal])) : undefined,
          openChannel(name, onWord) {
            const channel = { name, hear: (word: string) => fake.isFrozen || onWord(word) };
            channels.add(channel);
            const close = () => channels.delete(channel);
            death.signal.addEventListener("abort", close);
            const send = (word: string) => {
              for (const other of channels) {
                const isOther = other !== channel && other.name === name;
                if (isOther) queueMicrotask(() => channels.has(other) && other.hear(word));
              }
            };
            return { send, close };
          },
          afterTask: (run) => void clock.after(0, run),
          describe: () => fake.tab,
          watch(listener) {
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        },
      };
      return fake;
    },
  };
}

/** Locks as browsers implement them: one holder each, and a queue in order of arrival. */
function createLocks() {
  const queues = new Map<string, (() => void)[]>();
  return {
    isHeld: (name: string) => (queues.get(name)?.length ?? 0) > 0,
    take(name: string, signal: AbortSignal): Promise<boolean> {
      const queue = queues.get(name) ?? [];
      queues.set(name, queue);
      return new Promise((resolve) => {
        const grant = () => resolve(true);
        queue.push(grant);
        if (queue[0] === grant) queueMicrotask(grant);
        signal.addEventListener("abort", () => {
          resolve(false);
          const wasHolder = queue[0] === grant;
          queue.splice(queue.indexOf(grant), 1);
          if (wasHolder) queue[0]?.();
        });
      });
    },
  };
}

function createFakeHub(clock: FakeClock): FakeHub & { connect(url: string): Promise<Link> } {
  const ends: HubEnd[] = [];
  const hub = {
    isDown: false,
    ends,
    get end() {
      const last = ends.at(-1);
      if (last === undefined) throw new Error("No link was made yet.");
      return last;
    },
    async connect(url: string) {
      if (hub.isDown) throw new Error("there was no answer");
      const [near, far] = createMemoryLinks();
      ends.push(createHubEnd(far, url, clock));
      return near;
    },
    async welcome(tab = "tab-at-hub", within?: number) {
      await hub.end.say({ type: "welcome", version: 1, tab, at: clock.now(), heartbeat: 15_000, within });
      return hub.end;
    },
  };
  return hub;
}

function createHubEnd(link: Link, url: string, clock: FakeClock): HubEnd {
  const frames: HeardFrame<FrameFromPage["type"]>[] = [];
  const messages: string[] = [];
  let closing: CloseReason | undefined;
  link.start({
    message(message) {
      messages.push(textOf(message));
      for (const frame of splitBatch(textOf(message))) {
        const parsed = parseFrame(fromPage, frame, defaultLimits);
        if (parsed.kind !== "frame") throw new Error(`The page sent what is no frame: ${frame}`);
        frames.push({ ...parsed.frame, payload: textOf(parsed.payload) });
      }
    },
    closed(reason) {
      closing = reason;
    },
  });

  async function sayRaw(message: Message): Promise<void> {
    link.send(message);
    await clock.advance(0);
  }

  return {
    url,
    messages,
    get types() {
      return frames.map(({ type }) => type);
    },
    heard: <Type extends FrameFromPage["type"]>(type: Type) =>
      frames.filter((frame): frame is HeardFrame<Type> => frame.type === type),
    say: (frame, payload) => sayRaw(encodeFrame(frame, payload)),
    sayRaw,
    async close(reason) {
      link.close(reason);
      await clock.advance(0);
    },
    get closing() {
      return closing;
    },
  };
}
