// The prefix of each message on a link with channels: its kind, the side that opened the channel, and the channel's number.
//   o+3:      the sender opens its channel 3
//   m-3:...   a message for the channel 3 that the receiver opened; the text after the colon is unchanged
//   c+3:...   the channel 3 that the sender opened ends; a close reason as JSON follows
// Each side numbers its own channels: the sign keeps the numbers apart.
import type { Message } from "../wire/index.ts";

export type ChannelMessageKind = "open" | "message" | "close";

/** A channel's name on one side: `+` for channels that this side opened. The other side uses the other sign. */
export type ChannelName = `${"+" | "-"}${number}`;

/** A message without its prefix; the name is the receiver's. */
export interface ChannelMessage {
  readonly kind: ChannelMessageKind;
  readonly name: ChannelName;
  readonly number: number;
  readonly payload: Message;
}

const kinds = { o: "open", m: "message", c: "close" } as const;
const letters = { open: "o", message: "m", close: "c" } as const;
const form = /^(o(?=\+)|[mc])([+-])([1-9]\d{0,14}):/;
const LONGEST_PREFIX = "m+999999999999999:".length;
const encoder = new TextEncoder();

/** Puts the prefix before a payload; bytes stay bytes. */
export function addPrefix(kind: ChannelMessageKind, name: ChannelName, payload: Message): Message {
  const prefix = `${letters[kind]}${name}:`;
  if (typeof payload === "string") return prefix + payload;
  const start = encoder.encode(prefix);
  const message = new Uint8Array(start.length + payload.length);
  message.set(start);
  message.set(payload, start.length);
  return message;
}

/** Splits the prefix from a message; undefined if it has none. Never reads the rest. */
export function splitPrefix(message: Message): ChannelMessage | undefined {
  const match = form.exec(startOf(message));
  if (match === null) return undefined;
  const [prefix, letter, sign, digits] = match as unknown as [string, keyof typeof kinds, "+" | "-", string];
  const number = Number(digits);
  return {
    kind: kinds[letter],
    name: `${sign === "+" ? "-" : "+"}${number}`,
    number,
    payload: typeof message === "string" ? message.slice(prefix.length) : message.subarray(prefix.length),
  };
}

function startOf(message: Message): string {
  if (typeof message === "string") return message.slice(0, LONGEST_PREFIX);
  return String.fromCharCode(...message.subarray(0, LONGEST_PREFIX));
}
