// The messages of other hubs: each is read, and goes to the part that it is for.
import { closeReason, messageOf } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import { nameIn, parseCounts, parseLease } from "./lease.ts";
import type { Losses } from "./losses.ts";
import { goneTime } from "./members.ts";
import type { Member, Members } from "./members.ts";
import { bodyOf, parseMessages } from "./messages.ts";
import type { Post, Reader, Received } from "./messages.ts";
import type { Others } from "./others.ts";
import { reportedBytes } from "./outbox.ts";
import type { Places } from "./places.ts";
import type { Recovery } from "./recovery.ts";
import type { RemoteTabs } from "./remote-tabs.ts";
import type { Topics } from "./topics.ts";

export interface ReceiverOptions {
  readonly id: string;
  readonly inbox: string;
  readonly losses: Losses;
  readonly members: Members;
  readonly others: Others;
  readonly places: Places;
  readonly remote: RemoteTabs;
  readonly topics: Topics;
  readonly reader: Reader;
  readonly recovery: Recovery;
  readonly post: Post;
  /** A hub has read this many of the bytes that it was sent. */
  readonly wasRead: (hub: string, bytes: number) => void;
  readonly note: Note;
}

export class Receiver {
  readonly #options: ReceiverOptions;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  take(bytes: Uint8Array, subject: string): void {
    const { id, inbox, members, losses, reader, recovery, note } = this.#options;
    const messages = parseMessages(bytes);
    const [first] = messages;
    if (!first) return;
    const { from, at, number } = first;
    if (from === id) return this.#echoed(messages);
    // It would be met again.
    if (first.kind === "bye") return members.left(from);
    const isKnown = members.has(from);
    const member = members.heard(from, at);
    const isLacking = losses.came(from, subject, number);
    for (const message of messages) {
      try {
        const received = reader.read(message);
        if (received) this.#handle(received, { member, isKnown });
      } catch (error) {
        const { kind } = message;
        note("error", "bus-message-failed", { kind, message: messageOf(error) });
      }
    }
    if (subject === inbox) this.#report(member, bytes.length);
    if (isLacking && members.has(from)) recovery.relearn(from);
  }

  #report(member: Member, bytes: number): void {
    member.unreported += bytes;
    if (member.unreported < reportedBytes) return;
    this.#options.post(member.id, ["read", member.unreported]);
    member.unreported = 0;
  }

  #echoed(messages: readonly Received[]): void {
    for (const { kind, words } of messages) if (kind === "probe") this.#options.members.echoed(Number(words[0]));
  }

  #handle(received: Received, { member, isKnown }: { readonly member: Member; readonly isKnown: boolean }): void {
    const { losses, members, inbox, recovery } = this.#options;
    const { kind, from, body } = received;
    if (kind === "bye") members.left(from);
    else if (kind === "lease") this.#renewed(member, body.toString());
    else if (kind === "counts") losses.settle(from, inbox, parseCounts(body.toString()));
    else if (kind === "hello") recovery.greeted(from, isKnown);
    else if (Object.hasOwn(this.#handlers, kind)) this.#handlers[kind]?.(received);
  }

  #renewed(member: Member, lease: string): void {
    const { losses, recovery, note } = this.#options;
    const { about, counts } = parseLease(lease);
    if (member.about === "") note("info", "hub-joined", { hub: member.id, name: nameIn(about) });
    member.about = about;
    if (losses.lacks(member.id, counts)) recovery.relearn(member.id);
  }

  #give({ from, at, words: [link, id = ""], body }: Received): void {
    const { members, places, note } = this.#options;
    // Its hub has given this one up since, and has said what it knows of the call.
    if (members.ageOf(from, at) > goneTime) return note("warn", "late-call-dropped", { hub: from });
    places.find(link)?.give(from, id, bodyOf(body));
  }

  readonly #handlers: Readonly<Record<string, (received: Received) => void>> = {
    ask: ({ from, words, body }) => {
      const to = { hub: from, lane: body.toString() };
      this.#options.places.follow(to.lane, from, () => this.#options.post(to, ["told", words[0] ?? ""]));
    },
    read: ({ from, words: [bytes] }) => this.#options.wasRead(from, Number(bytes) || 0),
    leave: ({ from, body }) => this.#options.places.unfollow(body.toString(), from),
    again: ({ from, words: [link] }) => this.#options.places.again(link, from),
    told: ({ from, words }) => this.#options.remote.told(from, words[0] ?? ""),
    tab: (received) => this.#options.remote.announced(received),
    page: (received) => this.#options.remote.receive(received),
    off: (received) => this.#options.remote.left(received),
    give: (received) => this.#give(received),
    cancel: ({ from, words: [link, id = ""], body }) =>
      this.#options.places.find(link)?.pass(from, id, { frame: bodyOf(body), isCancel: true }),
    answer: ({ from, words: [link, id = ""], body }) =>
      this.#options.places.find(link)?.pass(from, id, { frame: bodyOf(body), isCancel: false }),
    end: ({ words: [link, name] }) => {
      if (name === "tab-replaced" || name === "tab-disconnected")
        this.#options.places.find(link)?.close(closeReason(name));
    },
    ...Object.fromEntries(
      kindsOfOthers.map((kind) => [kind, (received: Received) => this.#options.others.receive(received)]),
    ),
    state: (received) => this.#options.topics.receive(received),
  };
}

const kindsOfOthers = ["question", "reply", "open", "bytes", "taken", "finish", "cut"];
