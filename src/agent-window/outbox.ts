// The messages that must reach the agent's window: they wait until it answers, and those that were sent to a page that was
// unloaded before it had them are sent to the next one.
import { PagewireError } from "../wire/index.ts";
import type { Envelope, FromParent } from "./messages.ts";

type Message = Envelope<FromParent>;

export interface OutboxOptions {
  /** How many may wait, and how many are kept that the window may not have. */
  readonly most: number;
  /** Sends a message, and a ping after it; returns the ping's time, which its answer brings back. */
  post(message: Message): number;
}

export interface Outbox {
  /** Throws where too many wait. */
  add(message: Message): void;
  /** The window answers: what waits is sent, and what comes is. */
  open(): void;
  /** The window does not answer now. */
  shut(): void;
  /** The window answered a ping of this time, or does not say of which, and has what was sent before it. */
  confirm(time: number | undefined): void;
  /** The window shows a new page: what the last one may not have had waits again. */
  repeat(): void;
  /** Throws away what waits; returns how many that were. */
  clear(): number;
}

export function createOutbox({ most, post }: OutboxOptions): Outbox {
  let waiting: Message[] = [];
  let sent: { readonly message: Message; readonly at: number }[] = [];
  let isOpen = false;

  function send(message: Message): void {
    sent.push({ message, at: post(message) });
    if (sent.length > most) sent.shift();
  }

  return {
    add(message) {
      if (isOpen) return send(message);
      if (waiting.length >= most) {
        const text = `${most} messages wait for the agent's window already (limit waitingMessages). Open it with openAgent().`;
        throw new PagewireError("not-delivered", text);
      }
      waiting.push(message);
    },
    open() {
      isOpen = true;
      const all = waiting;
      waiting = [];
      all.forEach(send);
    },
    shut() {
      isOpen = false;
    },
    confirm(time = Infinity) {
      sent = sent.filter(({ at }) => at > time);
    },
    repeat() {
      isOpen = false;
      waiting.unshift(...sent.map(({ message }) => message));
      sent = [];
    },
    clear() {
      const count = waiting.length;
      waiting = [];
      sent = [];
      return count;
    },
  };
}
