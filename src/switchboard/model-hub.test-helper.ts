// A simulated hub: a switchboard and its links to pages. It can be stopped gently or killed.
import type { Clock } from "../link/index.ts";
import { fromPage, parseFrame } from "../wire/index.ts";
import type { FrameFromPage, Payload } from "../wire/index.ts";
import type { End, SimulatedLink } from "./model-network.test-helper.ts";
import { createSimulatedLink } from "./model-network.test-helper.ts";
import type { TabProfile, World } from "./model-world.test-helper.ts";
import { createReturns } from "./returns.ts";
import { createSwitchboard } from "./switchboard.ts";
import type { AgentSession, Switchboard } from "./switchboard.ts";
import type { TabSession } from "./tab-keeper.ts";
import { createWrittenKeys } from "./written-keys.ts";

export interface SimulatedHub {
  readonly number: number;
  readonly switchboard: Switchboard;
  link(profile: TabProfile, onSend: (type: string) => void): SimulatedLink;
  /** How a tab is listed, if at all. */
  stateOf(tabId: string): string | undefined;
  /** Unsubscribes the watchers of its calls and tabs. */
  unwatch(): void;
  /** Stops gently, and notifies all clients. */
  close(): void;
  /** Stops at once, without a notification. */
  kill(): void;
  pending(): number;
}

export interface HubOptions {
  readonly world: World;
  readonly number: number;
  readonly principals: readonly string[];
  /** The number of the current request, as its agent counts. */
  readonly requestNumber: () => number;
  /** When the previous hub ended. */
  readonly earlierEnd: number | undefined;
}

export function createSimulatedHub(options: HubOptions): SimulatedHub {
  const { world, number, principals, requestNumber, earlierEnd } = options;
  const { history, planted } = world;
  const { limits } = history;
  const { clock, stop, pending } = createHubClock(world.clock);
  const store = world.ledger?.forHub();
  const links = new Set<SimulatedLink>();
  const sessions = new Map<string, TabSession>();
  const givenTo = new Map<string, TabSession>();
  let isAlive = true;
  let ids = 0;
  const switchboard = createSwitchboard({
    clock,
    newId: () => (planted === "ids not re-keyed" ? String(requestNumber()) : `hub-${number}-call-${++ids}`),
    isoTime: String,
    limits,
    keys: store && createWrittenKeys(store.ledger),
    returns:
      earlierEnd === undefined || !store ? undefined : createReturns({ clock, limits, earlierEnd, keysAreKnown: true }),
  });
  const watchers = principals.map((principal) => watch(principal));

  function watch(principal: string): AgentSession {
    const session = switchboard.agent({ principal, identity: "watcher", name: "watcher" });
    session.onCall((event) => history.events.push({ hub: number, principal, event, at: clock.now() }));
    session.onChange(() => history.listings.push({ principal, tabIds: session.tabs().map(({ tabId }) => tabId) }));
    return session;
  }

  function serve(end: End, { principal, origin, app }: TabProfile): void {
    let session: TabSession | undefined;
    let tabId = "";

    function greet(hello: Extract<FrameFromPage, { type: "hello" }>): void {
      tabId = hello.tab;
      end.send({ type: "welcome", ...{ version: 1, tab: tabId, at: clock.now(), heartbeat: 15_000 } });
      const identity = {
        tabId,
        principal: planted === "principals mixed" ? (principals[0] ?? "") : principal,
        origin,
        app,
      };
      session = switchboard.attach(identity, hello, {
        send(frame, payload) {
          if (frame.type === "call") history.given.push({ callId: frame.id, tabId });
          if (frame.type === "call" && session) givenTo.set(frame.id, session);
          end.send(frame, payload);
        },
        close: ({ code }) => end.close(code),
      });
      sessions.set(tabId, session);
    }

    /** The session for a frame; with a planted bug, not that of the link it came on. */
    function sessionFor(frame: FrameFromPage): TabSession | undefined {
      if (planted === "answers by id" && "id" in frame) return givenTo.get(frame.id) ?? session;
      return planted === "old sessions heard" ? sessions.get(tabId) : session;
    }

    function take(frame: FrameFromPage, payload: Payload): void {
      if (frame.type === "hello") greet(frame);
      else sessionFor(frame)?.receive(frame, payload);
    }

    end.start({
      message(message) {
        const parsed = parseFrame(fromPage, message, history.limits);
        if (parsed.kind !== "frame") throw new Error("A simulated page sent what is no frame.");
        if (isAlive) take(parsed.frame, parsed.payload);
      },
      closed(code) {
        if (isAlive) session?.lost(code === 1000 || code === 1001 ? "gone" : "cut");
      },
    });
  }

  return {
    number,
    switchboard,
    link(profile, onSend) {
      const link = createSimulatedLink({ ...world, onSend });
      links.add(link);
      serve(link.hub, profile);
      return link;
    },
    stateOf: (tabId) => watchers.flatMap((watcher) => watcher.tabs()).find((tab) => tab.tabId === tabId)?.state,
    unwatch() {
      for (const watcher of watchers) watcher.close();
    },
    close() {
      if (store) history.killed.add(number);
      switchboard.close();
      for (const watcher of watchers) watcher.close();
      for (const link of links) link.hub.close(1001);
      store?.close();
    },
    kill() {
      isAlive = false;
      store?.kill();
      stop();
      history.killed.add(number);
      for (const link of links) link.cut();
    },
    pending,
  };
}

/** The world's clock as one hub sees it: it stops with the hub. */
function createHubClock(clock: Clock): { readonly clock: Clock; stop(): void; pending(): number } {
  const waiting = new Set<() => void>();
  return {
    clock: {
      now: clock.now,
      after(milliseconds, run) {
        const cancel = clock.after(milliseconds, () => {
          if (waiting.delete(stop)) run();
        });
        const stop = () => {
          waiting.delete(stop);
          cancel();
        };
        waiting.add(stop);
        return stop;
      },
    },
    stop() {
      for (const stop of waiting) stop();
    },
    pending: () => waiting.size,
  };
}
