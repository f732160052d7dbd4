import { systemClock } from "../link/index.ts";
import type { Link } from "../link/index.ts";
import { PagewireError, resolveLimits } from "../wire/index.ts";
import type { AskMethod, CallEvent, FrameToAgent, OnError, Payload } from "../wire/index.ts";
import { createCalls } from "./calls.ts";
import { createConnection } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { HubClient, HubClientOptions, HubClientState } from "./hub-client.ts";
import { createListeners } from "./listeners.ts";
import { createListings } from "./listings.ts";
import { parseCallEvent, parsePayload } from "./parse-listing.ts";

export interface CreateHubClientOptions extends Omit<HubClientOptions, "token"> {
  /** The hub's address, for messages. */
  readonly url: string;
  openLink(): Promise<Link>;
  /** The bearer for the link that was opened last. */
  bearer?(): string | undefined;
}

/** Makes a client over any kind of link. Resolves once a hub has welcomed it; rejects if the first attempt fails. */
export async function createHubClient(options: CreateHubClientOptions): Promise<HubClient> {
  const { clock = systemClock, random = Math.random, onAsk = {}, onError = report } = options;
  const limits = resolveLimits(options.limits);
  const states = createListeners<HubClientState>(onError);
  const changes = createListeners<void>(onError);
  const watchers = createListeners<CallEvent>(onError);
  const misses = createListeners<number>(onError);
  let state: HubClientState = { status: "connecting", message: `Connecting to the hub at ${options.url}.` };
  let count = 0;
  const newId = () => String(++count);
  const send: Connection["send"] = (frame, payload) => connection.send(frame, payload);
  const listings = createListings({ clock, limits, newId, send, onMalformed: (error) => connection.drop(error) });
  const calls = createCalls({ clock, limits, newId, onAsk, onError, send });
  const first = deferred();

  const connection = createConnection({
    url: options.url,
    openLink: options.openLink,
    clock,
    random,
    limits,
    hello: helloOf(options),
    onWelcome,
    onFrame,
    onLost: calls.lost,
    onEnd(error) {
      first.reject(error);
      listings.end(error);
      calls.end(error.message);
    },
    onState: setState,
  });

  function setState(next: HubClientState): void {
    state = next;
    states.tell(state);
  }

  function onWelcome(): void {
    first.resolve();
    if (watchers.count > 0) send(watchFrame);
    listings.connected();
    calls.connected();
    // Changes during the lost connection are not announced.
    changes.tell();
  }

  function onFrame(frame: FrameToAgent, payload: Payload): void {
    switch (frame.type) {
      case "listing":
        return listings.receive(frame, payload);
      case "changed":
        calls.changed();
        return changes.tell();
      case "watched": {
        const event = parseCallEvent(parsePayload(payload, limits.jsonDepth));
        if (event !== undefined) return watchers.tell(event);
        return connection.drop(new PagewireError("frame-malformed", "The hub told of a call in a form that is none."));
      }
      case "missed":
        return misses.tell(frame.count);
      default:
        return calls.receive(frame, payload);
    }
  }

  await first.promise;
  return {
    get state() {
      return state;
    },
    onState: states.add,
    tabs: ({ search } = {}) => listings.tabs(search),
    offer: listings.offer,
    call: calls.call,
    onChange: changes.add,
    watch(listener, onMissed) {
      if (watchers.count === 0) send(watchFrame);
      const remove = watchers.add(listener);
      const removeMissed = onMissed && misses.add(onMissed);
      return () => {
        removeMissed?.();
        if (remove() && watchers.count === 0) send({ type: "watch", on: false });
      };
    },
    close() {
      if (state.status === "closed") return;
      const message = "The connection to the hub was closed here.";
      calls.end(message);
      listings.end(new PagewireError("cancelled", message));
      connection.close();
      setState({ status: "closed", message });
    },
  };
}

const watchFrame = { type: "watch", on: true, batches: true } as const;

function helloOf({ bearer, agent, onAsk = {}, session = crypto.randomUUID() }: CreateHubClientOptions) {
  const asks = Object.keys(onAsk) as AskMethod[];
  return () => ({ token: bearer?.(), agent, session, asks: asks.length === 0 ? undefined : asks });
}

interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: PagewireError): void;
}

function deferred(): Deferred {
  let settle: Pick<Deferred, "resolve" | "reject"> = { resolve() {}, reject() {} };
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}

const report: OnError = (error, { stage }) => console.error(`pagewire (${stage}):`, error);
