// A client's copy of a core's properties, updated by the server's messages.
import { messageOf } from "../../wire/index.ts";
import type { Json } from "../../wire/index.ts";
import { copyJson } from "./copy-json.ts";
import { grow } from "./find-growth.ts";
import type { ClientAnnouncement, Growth, ServerAnnouncement, ServerMessage } from "./messages.ts";

type Sync = Extract<ServerMessage, { type: "sync" }>;
export type Update = Extract<ServerMessage, { type: "update" }>;

export interface RemoteValuesOptions {
  readonly names: readonly string[];
  readonly changed: (name: string, value: Json | undefined) => void;
  readonly warn: (message: string) => void;
}

export interface RemoteValues {
  has(name: string): boolean;
  get(name: string): Json | undefined;
  /** The server's extensions of the protocol, while it has any. */
  readonly server: ServerAnnouncement | undefined;
  /** Of each property the change that is held, and how long the texts are. */
  held(): Required<Pick<ClientAnnouncement, "seen" | "lengths">>;
  /** Throws when it is malformed, and then changes nothing. */
  sync(message: Sync): void;
  /** Throws if the value that it extends is missing. */
  update(message: Update): void;
  growth(message: Growth): void;
}

export function createRemoteValues({ names, changed, warn }: RemoteValuesOptions): RemoteValues {
  const declared = new Set(names);
  const known = new Map<string, Json | undefined>();
  const seen = new Map<string, number>();
  let server: ServerAnnouncement | undefined;
  /** The last change that was sent, of any property. */
  let lastSeen = 0;

  function put(name: string, value: Json | undefined): void {
    known.set(name, value);
    seen.set(name, lastSeen);
    changed(name, value);
  }

  /** Missed updates are not sent again: only a full sync helps. */
  function mismatch(name: string): never {
    seen.clear();
    throw new TypeError(`"${name}" cannot go on from what it is here`);
  }

  return {
    has: (name) => known.has(name),
    get: (name) => known.get(name),
    get server() {
      return server;
    },
    held() {
      const lengths: Record<string, number> = {};
      for (const name of seen.keys()) {
        const text = known.get(name);
        if (typeof text === "string") lengths[name] = text.length;
      }
      return { seen: Object.fromEntries(seen), lengths };
    },

    sync(message) {
      const values = fieldsOf(message.values);
      const { undefinedProperties, getterFailures, pagewire } = fieldsOf(message.capabilities ?? {});
      const emptied = textsOf(message.undefinedProperties ?? []);
      const failed = textsOf(message.getterFailures ?? []);
      const announced = pagewire === undefined ? undefined : announcementOf(pagewire);
      const copied = Object.entries(values).map(([name, value]) => [name, copyJson(value)] as const);
      server = announced;
      lastSeen = announced?.seq ?? 0;
      if (announced?.resumed) return;
      seen.clear();
      const present = new Set([...Object.keys(values), ...emptied]);
      for (const name of known.keys()) {
        if (present.has(name) || (getterFailures === true && failed.includes(name))) continue;
        // An older server leaves out properties that have become undefined.
        if (undefinedProperties !== true) emptied.push(name);
        else if (known.delete(name)) changed(name, undefined);
      }
      for (const [name, value] of copied) if (declared.has(name)) put(name, value);
      for (const name of emptied) if (declared.has(name)) put(name, undefined);
      for (const name of failed) warn(`The core's property "${name}" could not be read; its value stays as it was.`);
    },

    update(message) {
      const { name, seq } = message;
      if (typeof seq === "number") lastSeen = seq;
      if (!declared.has(name)) {
        if (!server) warn(`An update of "${name}" was dropped: it is not declared here.`);
      } else if ("rest" in message) {
        put(name, goOn(known.get(name), message.rest, message.keep) ?? mismatch(name));
      } else {
        let value: Json | undefined;
        try {
          value = copyJson(message.value);
        } catch (error) {
          return warn(`An update of "${name}" was dropped: ${messageOf(error)}`);
        }
        put(name, value);
      }
    },

    growth([property, added, seq, path = []]) {
      const name = server?.names[property] ?? "";
      lastSeen = seq ?? lastSeen + 1;
      if (declared.has(name)) put(name, grow(known.get(name), added, path) ?? mismatch(name));
    },
  };
}

function goOn(base: Json | undefined, rest: string | readonly Json[], keep: number): Json | undefined {
  return typeof base === "string" || Array.isArray(base) ? grow(base.slice(0, keep), rest, []) : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new TypeError("it is not an object");
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return [...(value as string[])];
  throw new TypeError("it is not a list of names");
}

function announcementOf(value: unknown): ServerAnnouncement {
  const { session, resumed, seq, names } = fieldsOf(value);
  return {
    ...(typeof session === "string" && { session }),
    resumed: resumed === true,
    seq: Number(seq),
    names: textsOf(names),
  };
}
