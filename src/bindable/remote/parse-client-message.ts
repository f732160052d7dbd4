import type { ClientAnnouncement, ClientMessage } from "./messages.ts";

/** The message, or the reason why it is malformed; with its id where it has one to reply to. */
export type ParsedClientMessage =
  | ClientMessage
  | { readonly type: "malformed"; readonly why: string; readonly id?: string };

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Ids are kept, so they are not to be of any length. */
const isId = (value: unknown): value is string => isText(value) && value.length <= 256;

const isTextList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

/** Reads a client's message. Never throws. */
export function parseClientMessage(given: unknown): ParsedClientMessage {
  try {
    return parse(given);
  } catch {
    return { type: "malformed", why: "it cannot be read" };
  }
}

function parse(given: unknown): ParsedClientMessage {
  if (typeof given !== "object" || given === null) return { type: "malformed", why: "it is not an object" };
  const { type, name, id, args, ids, value, pagewire } = given as Fields;
  const malformed = (why: string): ParsedClientMessage => ({ type: "malformed", why, ...(isId(id) && { id }) });
  switch (type) {
    case "sync": {
      const announced = parseAnnouncement(pagewire);
      return announced ? { type, pagewire: announced } : { type };
    }
    case "set":
      if (!isText(name)) return malformed("a set has no name");
      if (id !== undefined && !isId(id)) return malformed("its id is not a text of up to 256 characters");
      // The copy at the border finds out whether it is JSON.
      return { type, name, ...("value" in given && { value: value as never }), ...(id !== undefined && { id }) };
    case "cmd":
      if (!isId(id)) return malformed("a cmd has no id of up to 256 characters");
      if (!isText(name)) return malformed("a cmd has no name");
      return Array.isArray(args) ? { type, name, id, args: args as never } : malformed("a cmd has no list of args");
    case "cancel":
      return isId(id) ? { type, id } : malformed("a cancel has no id");
    case "got":
      return isTextList(ids) ? { type, ids } : malformed("a got has no list of ids");
    case "ping":
      return { type };
    default:
      return malformed(`its type is "${String(type).slice(0, 100)}"`);
  }
}

function parseAnnouncement(given: unknown): ClientAnnouncement | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { client, session, seen, lengths, pending, heartbeat } = given as Fields;
  if (!isId(client)) return undefined;
  return {
    client,
    ...(isText(session) && { session }),
    ...(typeof seen === "object" && seen !== null && { seen: numbersOf(seen) }),
    ...(typeof lengths === "object" && lengths !== null && { lengths: numbersOf(lengths) }),
    ...(isTextList(pending) && { pending }),
    ...(typeof heartbeat === "number" && heartbeat > 0 && { heartbeat }),
  };
}

function numbersOf(given: object): Record<string, number> {
  return Object.fromEntries(Object.entries(given).filter(([, length]) => Number.isSafeInteger(length) && length >= 0));
}
