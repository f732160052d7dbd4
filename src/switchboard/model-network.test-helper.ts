// A link between a page and a hub under an adversary's control: it delays, duplicates, reorders, and drops what is on the
// way when it is cut. A side's announcement of its own end (bye, suspended) is never moved before its earlier frames.
import { encodeFrame } from "../wire/index.ts";
import type { Message, Payload } from "../wire/index.ts";
import type { Clock } from "../link/index.ts";

/** How the network misbehaves. Probabilities are in percent, times in milliseconds. */
export interface Chaos {
  readonly delay: number;
  readonly duplicates: number;
  readonly reorders: number;
  /** Whether keys outlive a hub, and how often writing them fails. */
  readonly hasLedger: boolean;
  readonly failures: number;
}

export interface EndEvents {
  message(message: Message): void;
  closed(code: number): void;
}

export interface End {
  send(frame: { readonly type: string }, payload?: Payload): void;
  close(code: number): void;
  start(events: EndEvents): void;
}

export interface SimulatedLink {
  readonly page: End;
  readonly hub: End;
  /** Drops frames on the way, or delays those to the hub; each side notices some time later. */
  cut(): void;
  /** Delays all frames to the hub from now on. */
  slow(): void;
}

interface NetworkOptions {
  readonly clock: Clock;
  readonly random: (below: number) => number;
  readonly chaos: Chaos;
  /** Called with each frame sent, from either end. */
  readonly onSend: (type: string) => void;
}

/** Frames that a broken peer or network may repeat and move: none about the peer's own state. */
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
    // Frames on the way to a hub that closes the link may still arrive.
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
  /** Drops all frames from now on. */
  stop(): void;
  /** Accepts no more frames; earlier ones still arrive. */
  drain(): void;
  /** Delays frames, both earlier and later ones. */
  slow(): void;
  /** Time until all frames on the way have arrived. */
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
  /** When the newest frame in order arrives, and when the last of all does. */
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
