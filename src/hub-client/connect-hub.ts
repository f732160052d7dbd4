import { connectSocket, systemClock } from "../link/index.ts";
import type { Link } from "../link/index.ts";
import { hubAddress } from "./hub-address.ts";
import type { ConnectHubOptions, HubClient, HubClientOptions, HubClientState } from "./hub-client.ts";
import { proveHub } from "./prove-hub.ts";
import { PagewireError, resolveLimits } from "../wire/index.ts";
import type { AskMethod, CallEvent, FrameToAgent, OnError, Payload } from "../wire/index.ts";
import { Calls } from "./calls.ts";
import type { Line } from "./calls.ts";
import { Lines } from "./lines.ts";
import { createListeners } from "./listeners.ts";
import { createListings } from "./listings.ts";
import { parseCallEvent, parsePayload } from "./parse-listing.ts";

/**
 * Connects to a hub as an agent. Rejects with a named error if the first attempt fails; later it reconnects whenever the
 * connection ends. Each time the hub first proves that it has the token, which itself is never sent.
 */
export async function connectHub(options: ConnectHubOptions): Promise<HubClient> {
  const { url, token, WebSocket, fetch, relayTo, ...rest } = options;
  const address = hubAddress(url);
  const timing = rest.clock === undefined ? {} : { clock: rest.clock };
  let bearer: string | undefined;

  async function openLink() {
    const own = typeof token === "function" ? await token() : token;
    const bare = { url: address, token: own };
    const hub = own === undefined ? bare : await proveHub({ url: address, token: own, fetch, relayTo });
    bearer = hub.token;
    return connectSocket({ url: `${hub.url.replace("http", "ws")}/agent`, WebSocket, ...timing });
  }

  return createHubClient({ ...rest, url, openLink, bearer: () => bearer });
}

interface CreateHubClientOptions extends Omit<HubClientOptions, "token"> {
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
  const send: Lines["send"] = (frame, payload) => lines.send(frame, payload);
  const listings = createListings({ clock, limits, newId, send, onMalformed: (error) => lines.drop(error) });
  const calls = new Calls({ clock, limits, newId, onAsk, onError, send });
  const first = deferred();

  const lines = new Lines({
    url: options.url,
    openLink: options.openLink,
    clock,
    random,
    limits,
    hello: helloOf(options),
    onWelcome,
    onFrame,
    onLost(line) {
      calls.lost(line);
      calls.sendWaiting();
    },
    isUsed: (line) => calls.isUsed(line),
    onEnd(error) {
      first.reject(error);
      listings.end(error);
      calls.end(error.message);
    },
    onState: setState,
  });

  function setState(next: HubClientState): void {
    state = next;
    states.notify(state);
  }

  function onWelcome(): void {
    first.resolve();
    if (watchers.count > 0) send(watchFrame);
    listings.connected();
    calls.sendWaiting();
    // Changes during the lost connection are not announced.
    changes.notify();
  }

  function onFrame(frame: FrameToAgent, payload: Payload, line: Line): void {
    switch (frame.type) {
      case "listing":
        return listings.receive(frame, payload);
      case "changed":
        calls.sendWaiting();
        return changes.notify();
      case "watched": {
        const event = parseCallEvent(parsePayload(payload, limits.jsonDepth));
        if (event !== undefined) return watchers.notify(event);
        return lines.drop(new PagewireError("frame-malformed", "The hub reported a call in an invalid form."));
      }
      case "missed":
        return misses.notify(frame.count);
      default:
        return calls.receive(frame, payload, line);
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
    call: (request) => calls.call(request),
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
      lines.close();
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
