// A link between a page and a hub that an adversary controls: it delays, duplicates, reorders, and loses what is on the
// way when it is cut. What one side says of its own end (bye, suspended) is never moved past what it said before.
import { encodeFrame } from "../wire/index.ts";
import type { Message, Payload } from "../wire/index.ts";
import type { Clock } from "../link/index.ts";

/** How the network misbehaves. Chances are in percent, times in milliseconds. */
export interface Chaos {
  readonly delay: number;
  readonly duplicates: number;
  readonly reorders: number;
  /** Whether what is said of keys outlives a hub, and how often writing that down fails. */
  readonly hasLedger: boolean;
  readonly failures: number;
}

export interface EndEvents {
  message(message: Message): void;
  closed(code: number): void;
}

/** One end of a link. */
export interface End {
  send(frame: { readonly type: string }, payload?: Payload): void;
  close(code: number): void;
  start(events: EndEvents): void;
}

export interface SimulatedLink {
  readonly page: End;
  readonly hub: End;
  /** Loses what is on the way, or holds up what is on its way to the hub; each side notices some time later. */
  cut(): void;
  /** From now on all that is on its way to the hub takes longer. */
  slow(): void;
}

interface NetworkOptions {
  readonly clock: Clock;
  /** A whole number below this one. */
  readonly random: (below: number) => number;
  readonly chaos: Chaos;
  /** Sees what is sent, from either end. */
  readonly onSend: (type: string) => void;
}

/** Frames that a broken peer or network may repeat and move: none that says how the peer itself stands. */
const loose = new Set(["ack", "progress", "log", "ask", "result", "failure", "call", "cancel", "answer", "heartbeat"]);

export function createSimulatedLink(options: NetworkOptions): SimulatedLink {
  const { clock, random, onSend } = options;
  const toPage = createLane(options);
  const toHub = createLane(options);
  const endOf = (own: Lane, peer: Lane, onClose: () => void): End => ({
    send(frame, payload) {
      if (!own.isOpen()) return;
      peer.post(encodeFrame(frame, payload), loose.has(frame.type));
      onSend(frame.type);
    },
    close(code) {
      if (!own.isOpen()) return;
      onClose();
      peer.close(code);
      clock.after(0, () => own.tellClosed(code));
    },
    start: own.start,
  });
  return {
    page: endOf(toPage, toHub, toPage.stop),
    // What was on its way to a hub that closes the link may still come.
    hub: endOf(toHub, toPage, toHub.drain),
    cut() {
      if (!toPage.isOpen() || !toHub.isOpen()) return;
      toPage.stop();
      if (random(2) === 0) toHub.stop();
      else {
        toHub.slow();
        toHub.drain();
      }
      for (const lane of [toPage, toHub]) {
        const notice = random(2) === 0 ? 0 : random(3000);
        clock.after(Math.max(notice, lane.busyFor()), () => lane.tellClosed(1006));
      }
    },
    slow: toHub.slow,
  };
}

interface Lane {
  post(message: Message, isLoose: boolean): void;
  close(code: number): void;
  /** Loses everything from now on. */
  stop(): void;
  /** Takes nothing more; what was sent before still arrives. */
  drain(): void;
  /** Holds up what was sent before and what is sent from now on. */
  slow(): void;
  /** How long until all has arrived that is on the way. */
  busyFor(): number;
  isOpen(): boolean;
  tellClosed(code: number): void;
  start(events: EndEvents): void;
}

/** One direction of a link. */
function createLane({ clock, random, chaos }: Omit<NetworkOptions, "onSend">): Lane {
  let events: EndEvents | undefined;
  let state: "open" | "draining" | "stopped" = "open";
  let isTold = false;
  let held = 0;
  /** When the newest frame that keeps its place arrives, and when the last of all does. */
  let steadyAt = 0;
  let lastAt = 0;

  const deliver = (message: Message) => {
    if (state !== "stopped") events?.message(message);
  };
  const deliverAt = (at: number, message: Message) =>
    clock.after(at - clock.now(), () => (held > 0 ? clock.after(held, () => deliver(message)) : deliver(message)));
  const busyFor = () => (state === "stopped" ? 0 : Math.max(0, lastAt - clock.now()) + held + 1);
  const tellClosed = (code: number) => {
    if (isTold) return;
    isTold = true;
    events?.closed(code);
  };

  return {
    post(message, isLoose) {
      if (state !== "open") return;
      const delayed = clock.now() + random(chaos.delay + 1);
      const isLate = isLoose && random(100) < chaos.reorders;
      const at = Math.max(isLoose ? steadyAt : lastAt, delayed) + (isLate ? random(500) : 0);
      if (!isLate) steadyAt = at;
      lastAt = Math.max(lastAt, at);
      deliverAt(at, message);
      if (isLoose && random(100) < chaos.duplicates) deliverAt(at + random(3000), message);
    },
    close: (code) => void clock.after(Math.max(busyFor(), random(chaos.delay + 1)), () => tellClosed(code)),
    stop() {
      state = "stopped";
    },
    drain() {
      if (state === "open") state = "draining";
    },
    slow() {
      if (state === "open") held = random(1500);
    },
    busyFor,
    isOpen: () => state === "open" && !isTold,
    tellClosed,
    start(given) {
      events = given;
    },
  };
}
