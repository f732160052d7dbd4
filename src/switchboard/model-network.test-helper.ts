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
  /** Loses all that is on the way; each side notices some time later. */
  cut(): void;
}

interface NetworkOptions {
  readonly clock: Clock;
  /** A whole number below this one. */
  readonly random: (below: number) => number;
  readonly chaos: Chaos;
}

/** Frames that a broken peer or network may repeat and move: none that says how the peer itself stands. */
const loose = new Set(["ack", "progress", "log", "ask", "result", "failure", "call", "cancel", "answer", "heartbeat"]);

export function createSimulatedLink(options: NetworkOptions): SimulatedLink {
  const { clock, random } = options;
  const toPage = createLane(options);
  const toHub = createLane(options);
  const endOf = (own: Lane, peer: Lane): End => ({
    send(frame, payload) {
      if (own.isOpen()) peer.post(encodeFrame(frame, payload), loose.has(frame.type));
    },
    close(code) {
      if (!own.isOpen()) return;
      own.stop();
      peer.close(code);
      clock.after(0, () => own.tellClosed(code));
    },
    start: own.start,
  });
  return {
    page: endOf(toPage, toHub),
    hub: endOf(toHub, toPage),
    cut() {
      for (const lane of [toPage, toHub]) {
        if (!lane.isOpen()) continue;
        lane.stop();
        clock.after(random(2) === 0 ? 0 : random(3000), () => lane.tellClosed(1006));
      }
    },
  };
}

interface Lane {
  post(message: Message, isLoose: boolean): void;
  close(code: number): void;
  stop(): void;
  isOpen(): boolean;
  tellClosed(code: number): void;
  start(events: EndEvents): void;
}

/** One direction of a link. */
function createLane({ clock, random, chaos }: NetworkOptions): Lane {
  let events: EndEvents | undefined;
  let isOpen = true;
  let isTold = false;
  /** When the newest frame that keeps its place arrives, and when the last of all does. */
  let steadyAt = 0;
  let lastAt = 0;

  const deliverAt = (at: number, message: Message) =>
    clock.after(at - clock.now(), () => isOpen && events?.message(message));
  const tellClosed = (code: number) => {
    if (isTold) return;
    isTold = true;
    isOpen = false;
    events?.closed(code);
  };

  return {
    post(message, isLoose) {
      const delayed = clock.now() + random(chaos.delay + 1);
      const isLate = isLoose && random(100) < chaos.reorders;
      const at = Math.max(isLoose ? steadyAt : lastAt, delayed) + (isLate ? random(500) : 0);
      if (!isLate) steadyAt = at;
      lastAt = Math.max(lastAt, at);
      deliverAt(at, message);
      if (isLoose && random(100) < chaos.duplicates) deliverAt(at + random(3000), message);
    },
    close: (code) => void clock.after(Math.max(lastAt - clock.now(), random(chaos.delay + 1)), () => tellClosed(code)),
    stop() {
      isOpen = false;
    },
    isOpen: () => isOpen && !isTold,
    tellClosed,
    start(given) {
      events = given;
    },
  };
}
