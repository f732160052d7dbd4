// A worker whose hubs are in memory, and pages that the test controls.
import { createChannels, createMemoryLinks, createPortLink } from "../link/index.ts";
import type { Link } from "../link/index.ts";
import { createFakeClock, recordLink } from "../testing/index.ts";
import type { FakeClock, LinkRecord } from "../testing/index.ts";
import type { MessageFromWorker } from "../wire/index.ts";
import { createCarrier } from "./carrier.ts";
import type { CarrierOptions, TakeMessage } from "./carrier.ts";

export interface HubSocket {
  readonly url: string;
  readonly link: Link;
  /** Reads the messages that arrived; called automatically, unless the hub is slow. */
  read(): void;
  /** The channels that were opened in it, in their order. */
  readonly channels: readonly { readonly link: Link; readonly record: LinkRecord }[];
}

export interface FakeHubs {
  readonly sockets: readonly HubSocket[];
  /** While set, no socket can be opened. */
  isDown: boolean;
  /** While set, hubs do not read messages. */
  isSlow: boolean;
  connect(url: string): Promise<Link>;
}

export function createFakeHubs(): FakeHubs {
  const sockets: HubSocket[] = [];
  const hubs: FakeHubs = {
    sockets,
    isDown: false,
    isSlow: false,
    async connect(url) {
      if (hubs.isDown) throw new Error(`No hub answers at ${url}.`);
      const [near, far] = createMemoryLinks();
      const channels: { link: Link; record: LinkRecord }[] = [];
      const socket: HubSocket = {
        url,
        link: far,
        channels,
        read: () =>
          void createChannels(far, { onChannel: (link) => channels.push({ link, record: recordLink(link) }) }),
      };
      sockets.push(socket);
      if (!hubs.isSlow) socket.read();
      return near;
    },
  };
  return hubs;
}

export interface PageByHand {
  readonly heard: readonly MessageFromWorker[];
  /** The page's lock. */
  readonly lock: string;
  /** Sends a message, and waits until its effects have happened. */
  say(message: unknown, ports?: readonly MessagePort[]): Promise<void>;
  hello(versions?: readonly number[]): Promise<void>;
  /** Has a link carried; it is started, and recorded. */
  carry(url: string): Promise<{ readonly link: Link; readonly record: LinkRecord }>;
  /** The page is no more: its lock is free. */
  die(): Promise<void>;
}

export interface WorkerUnderTest {
  readonly clock: FakeClock;
  readonly hubs: FakeHubs;
  /** Number of times that the worker ended itself. */
  readonly ends: number;
  openPage(): PageByHand;
}

export function createWorker(options: Partial<CarrierOptions> = {}): WorkerUnderTest {
  const clock = createFakeClock();
  const hubs = createFakeHubs();
  const gone = new Map<string, () => void>();
  let ends = 0;
  let pages = 0;
  const carrier = createCarrier({
    clock,
    connect: hubs.connect,
    lock: Promise.resolve("pagewire-worker:1"),
    untilFree: (lock) => new Promise((resolve) => gone.set(lock, resolve)),
    end: () => ends++,
    ...options,
  });
  return {
    clock,
    hubs,
    get ends() {
      return ends;
    },
    openPage() {
      const heard: MessageFromWorker[] = [];
      const take: TakeMessage = carrier.greet({ postMessage: (message) => heard.push(message) });
      const lock = `pagewire-page:${++pages}`;
      let links = 0;
      const page: PageByHand = {
        heard,
        lock,
        async say(message, ports = []) {
          take(message, ports);
          await clock.advance(0);
        },
        hello: (versions = [1]) => page.say({ type: "hello", versions, page: lock }),
        async carry(url) {
          const { port1, port2 } = new MessageChannel();
          await page.say({ type: "carry", id: `link-${++links}`, url }, [port2]);
          const link = createPortLink(port1);
          return { link, record: recordLink(link) };
        },
        async die() {
          gone.get(lock)?.();
          await clock.advance(0);
        },
      };
      return page;
    },
  };
}
