// Events of calls for those who watch at other hubs. A hub with watchers asks the others for them again and again; one that is
// not asked any more stops. More events than there is room for between two hubs are dropped.
import type { Clock } from "../../link/index.ts";
import type { Switchboard } from "../../switchboard/index.ts";
import type { CallEvent, JsonObject, Limits } from "../../wire/index.ts";
import type { Cluster } from "./cluster.ts";

interface Parts {
  readonly cluster: Pick<Cluster, "others" | "onJoined">;
  /** The calls of this hub. */
  readonly own: Switchboard;
  readonly clock: Clock;
  readonly limits: Pick<Limits, "changesTime" | "watchedEvents">;
}

type Listener = (event: CallEvent) => void;

const askTime = 5000;
/** A hub that was not asked for so long stops. */
const keepTime = 3 * askTime;

/** A switchboard whose agents watch the calls of all hubs. */
export function shareEvents(switchboard: Switchboard, given: Parts): Switchboard {
  const timers = createTimers(given.clock);
  const parts = { ...given, after: timers.after };
  sendEvents(parts);
  const follow = receiveEvents(parts);
  return {
    ...switchboard,
    close() {
      timers.close();
      switchboard.close();
    },
    agent(identity) {
      const session = switchboard.agent(identity);
      const stops = new Set<() => void>();
      return {
        ...session,
        onCall(listener) {
          const stopOwn = session.onCall(listener);
          const stopOthers = follow(identity.principal, listener);
          stops.add(stopOthers);
          return () => {
            stopOwn();
            stopOthers();
          };
        },
        close() {
          for (const stop of stops) stop();
          session.close();
        },
      };
    },
  };
}

/** Timers that end with their hub. */
function createTimers(clock: Clock) {
  const stops = new Set<() => void>();
  let isClosed = false;
  return {
    after(milliseconds: number, run: () => void) {
      if (isClosed) return;
      const stop = clock.after(milliseconds, () => {
        stops.delete(stop);
        run();
      });
      stops.add(stop);
    },
    close() {
      isClosed = true;
      for (const stop of stops) stop();
    },
  };
}

type Timed = Parts & Pick<ReturnType<typeof createTimers>, "after">;

function receiveEvents({ cluster, after }: Timed): (principal: string, listener: Listener) => () => void {
  const { others } = cluster;
  const listeners = new Map<string, Set<Listener>>();

  function ask(principal: string): void {
    void others.askAll("watch-calls", { principal });
  }

  function askAgain(principal: string, all: Set<Listener>): void {
    if (listeners.get(principal) !== all) return;
    ask(principal);
    after(askTime, () => askAgain(principal, all));
  }

  cluster.onJoined(() => {
    for (const principal of listeners.keys()) ask(principal);
  });
  others.answers("call-events", ({ principal, events }) => {
    for (const event of Array.isArray(events) ? events : [])
      for (const listener of listeners.get(principal as string) ?? []) listener(event as unknown as CallEvent);
    return {};
  });
  return (principal, listener) => {
    const known = listeners.get(principal);
    const all = known ?? new Set();
    all.add(listener);
    listeners.set(principal, all);
    if (!known) askAgain(principal, all);
    return () => {
      all.delete(listener);
      if (all.size === 0 && listeners.get(principal) === all) listeners.delete(principal);
    };
  };
}

function sendEvents({ cluster, own, clock, limits, after }: Timed): void {
  const { others } = cluster;
  /** Of each principal, the hubs that watch, and until when. */
  const watched = new Map<string, Map<string, number>>();

  function begin(principal: string): Map<string, number> {
    const hubs = new Map<string, number>();
    const session = own.agent({ principal, identity: "watchers", name: "watcher" });
    let events: CallEvent[] = [];
    let isSending = false;
    const send = async () => {
      const batch = { principal, events: JSON.parse(JSON.stringify(events)) as JsonObject[] };
      events = [];
      await Promise.allSettled([...hubs.keys()].map((hub) => others.ask(hub, "call-events", batch)));
      isSending = false;
      sendSoon();
    };
    const sendSoon = () => {
      if (isSending || events.length === 0) return;
      isSending = true;
      after(limits.changesTime, () => void send());
    };
    session.onCall((event) => {
      if (events.length < limits.watchedEvents) events.push(event);
      sendSoon();
    });
    const review = () => {
      for (const [hub, until] of hubs) if (until <= clock.now() || !others.has(hub)) hubs.delete(hub);
      if (hubs.size > 0) return after(askTime, review);
      watched.delete(principal);
      session.close();
    };
    after(askTime, review);
    watched.set(principal, hubs);
    return hubs;
  }

  others.answers("watch-calls", ({ principal }, from) => {
    const hubs = watched.get(principal as string) ?? begin(principal as string);
    hubs.set(from, clock.now() + keepTime);
    return {};
  });
}
