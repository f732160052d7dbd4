// The other hubs, for doors: questions to them, and clients' requests that one of them serves.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock, Link } from "../../link/index.ts";
import { PagewireError, messageOf, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject, Limits } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { TunnelSocket } from "../http/tunnel-socket.ts";
import type { Members } from "./members.ts";
import type { Post, Received } from "./messages.ts";
import { passMessages } from "./pass-messages.ts";
import { passRequest, passUpgrade } from "./pass-on.ts";
import type { Passing } from "./pass-on.ts";
import { Requests } from "./requests.ts";
import type { Answering } from "./requests.ts";
import { Tunnels } from "./tunnels.ts";

export interface OthersOptions {
  readonly id: string;
  readonly clock: Clock;
  readonly members: Pick<Members, "ids" | "has" | "isUp" | "isGone" | "aboutOf" | "seenSince">;
  readonly post: Post;
  /** Serves a connection that another hub passes on. */
  readonly accept: (socket: TunnelSocket) => void;
  readonly clientOf: (request: IncomingMessage) => string;
  /** Whether an origin is of this hub's own pages. */
  readonly isOwn: (origin: string) => boolean;
  readonly note: Note;
}

/** A request that another hub serves; `body` is all of it, if it was read. */
interface PassedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body?: Uint8Array | undefined;
}

interface PassedUpgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Uint8Array;
}

/** How often it is looked again whether an unknown hub is there, in milliseconds. */
const lookTime = 100;

interface PassedSocket {
  readonly request: IncomingMessage;
  readonly link: Link;
  readonly limits: Limits;
}

/** An id of a hub at the beginning of a name. */
const hubInName = /^([\w-]{22})\./;

export class Others {
  readonly #options: OthersOptions;
  readonly #requests: Requests;
  readonly #tunnels: Tunnels;

  constructor(options: OthersOptions) {
    const { id, clock, post, accept, note } = options;
    this.#options = options;
    this.#requests = new Requests({
      ...{ clock, post },
      onFailure: (topic, error) => note("error", "bus-message-failed", { kind: topic, message: messageOf(error) }),
    });
    this.#tunnels = new Tunnels({ id, post, accept });
  }

  get ids(): readonly string[] {
    return this.#options.members.ids;
  }

  /** Whether a hub is there, as far as is known. */
  has(hub: string): boolean {
    return this.#options.members.has(hub);
  }

  /** Whether a hub is about to end, and others take what it has. */
  isLeaving(hub: string): boolean {
    return parseJsonObject(this.#options.members.aboutOf(hub), 4)?.["isStopping"] === true;
  }

  get isUp(): boolean {
    return this.#options.members.isUp;
  }

  /** Since when no other hub can have given this one up. */
  get seenSince(): number {
    return this.#options.members.seenSince;
  }

  /** Resolves with whether a hub is gone, once that is sure; rejects if others cannot be reached. */
  async isGone(hub: string): Promise<boolean> {
    const { members, clock } = this.#options;
    while (!members.isGone(hub)) {
      if (members.has(hub)) return false;
      if (!members.isUp) throw new PagewireError("bus-unavailable", "Whether the other hub is there cannot be known.");
      await new Promise<void>((resolve) => void clock.after(lookTime, resolve));
    }
    return true;
  }

  /** Asks a hub a small question; rejects with its refusal, or with `bus-unavailable`. */
  async ask(hub: string, topic: string, value: JsonObject): Promise<JsonObject> {
    this.#checkReach(hub);
    return this.#requests.ask(hub, topic, value);
  }

  /** Asks all; resolves with the answers of those that gave one. */
  async askAll(topic: string, value: JsonObject): Promise<readonly HubAnswer[]> {
    const asked = this.#options.members.ids.map(async (hub) => ({ hub, value: await this.ask(hub, topic, value) }));
    const settled = await Promise.allSettled(asked);
    return settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  }

  /** Answers the questions of other hubs about a topic. */
  answers(topic: string, answering: Answering): void {
    this.#requests.answers(topic, answering);
  }

  /** The name, for clients, of something that lives at this hub. */
  nameHere(rest: string): string {
    return `${this.#options.id}.${rest}`;
  }

  /** The other hub that a name says; undefined for this one's and for other texts. */
  hubOf(name: string): string | undefined {
    const [, hub] = hubInName.exec(name) ?? [];
    return hub === this.#options.id ? undefined : hub;
  }

  /** A name without its hub. */
  restOf(name: string): string {
    return name.replace(hubInName, "");
  }

  /** A connection to the server of a hub; throws if that cannot be reached: nothing would say that it is lost. */
  connect(hub: string): TunnelSocket {
    this.#checkReach(hub);
    return this.#tunnels.open(hub);
  }

  pass(hub: string, { request, response, body }: PassedRequest): void {
    passRequest(this.#passing(hub, request), response, body);
  }

  /** Has a hub serve an upgrade, and all that follows on its socket. */
  passUpgrade(hub: string, { request, socket, head }: PassedUpgrade): void {
    passUpgrade(this.#passing(hub, request), socket, head);
  }

  /** Has a hub serve a client whose socket was accepted here. */
  passMessages(hub: string, { request, link, limits }: PassedSocket): void {
    passMessages({ ...this.#passing(hub, request), limits }, link);
  }

  #checkReach(hub: string): void {
    if (this.#options.members.isUp && this.has(hub)) return;
    throw new PagewireError("bus-unavailable", "The hub that knows this cannot be reached.");
  }

  #passing(hub: string, request: IncomingMessage): Passing {
    const { clientOf, isOwn } = this.#options;
    const { origin } = request.headers;
    const about = { client: clientOf(request), isOwn: origin !== undefined && isOwn(origin) };
    return { tunnel: this.connect(hub), request, about };
  }

  receive(received: Received): void {
    if (received.kind === "question" || received.kind === "reply") this.#requests.receive(received);
    else this.#tunnels.receive(received);
  }

  /** Messages of a hub, or of all, may be lost. */
  lose(hub?: string): void {
    this.#requests.lose(hub);
    this.#tunnels.lose(hub);
  }
}

export interface HubAnswer {
  readonly hub: string;
  readonly value: JsonObject;
}
