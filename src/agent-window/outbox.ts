// Messages that must reach the agent's window: they wait until it answers, and those that an unloaded page may have missed
// are sent to the next one.
import { PagewireError } from "../wire/index.ts";
import type { Envelope, FromParent } from "./messages.ts";

type Message = Envelope<FromParent>;

/** Max messages that wait, and max unconfirmed messages that are kept. */
const maxMessages = 100;

export interface Outbox {
  /** Throws if too many wait. */
  add(message: Message): void;
  /** The window answers: sends the waiting messages, and later ones at once. */
  open(): void;
  /** The window does not answer now. */
  shut(): void;
  /** The window answered the ping with this time (or an unknown one), so it has all messages sent before that ping. */
  confirm(time: number | undefined): void;
  /** The window shows a new page: messages that the last page may have missed wait again. */
  repeat(): void;
  /** Drops the waiting messages; returns their number. */
  clear(): number;
}

/** `post` sends a message and a ping; it returns the ping's time, which its answer repeats. */
export function createOutbox(post: (message: Message) => number): Outbox {
  let waiting: Message[] = [];
  let sent: { readonly message: Message; readonly at: number }[] = [];
  let isOpen = false;

  function send(message: Message): void {
    sent.push({ message, at: post(message) });
    if (sent.length > maxMessages) sent.shift();
  }

  return {
    add(message) {
      if (isOpen) return send(message);
      if (waiting.length >= maxMessages) {
        const text = `${maxMessages} messages wait for the agent's window already (limit waitingMessages). Open it with openAgent().`;
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
