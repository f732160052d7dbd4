// The authenticated clients of a hub's sockets, until they leave or their credential ends.
import { setTimeout as pause } from "node:timers/promises";
import type { Link } from "../../link/index.ts";
import { PagewireError, closeReason, encodeFrame } from "../../wire/index.ts";
import type { Message } from "../../wire/index.ts";
import type { Credentials } from "../guard/credentials.ts";
import type { Admitted } from "../identity/admitted.ts";
import { unpaired } from "../guard/app-sessions.ts";
import { refuse } from "./closing.ts";

/** Sends a client the reason why it may not go on, and closes its link. */
export type TurnAway = (link: Link, error: PagewireError, command?: string) => void;

export interface Peer {
  readonly link: Link;
  readonly turnAway: TurnAway;
}

export interface Client extends Peer {
  readonly origin: string | undefined;
  readonly admitted: Admitted;
  /** The socket's link, which may carry many. */
  readonly carrier: Link;
  readonly retire?: Retire | undefined;
}

/** Has a client leave that cannot just be cut off: it is closed when its calls have ended. */
export type Retire = () => void;

export interface Clients {
  readonly size: number;
  /** Throws if the credential is no longer valid. */
  check(client: Pick<Client, "admitted" | "origin">): void;
  add(client: Client): () => void;
  /** Closes the links of clients whose credential is no longer valid. */
  review(): void;
  /** Sends a message to every client that speaks the wire protocol. */
  broadcast(message: Message): void;
  /** Sends all of them to another hub within this time, not all at once. Resolves when they have left or retire. */
  moveAway(milliseconds: number): Promise<void>;
}

/** How often some pages are sent away. */
const moveInterval = 20;
/** How long agents have that came while others left. */
const lastTime = 500;

export function createClients(
  credentials: Pick<Credentials, "isStillGood">,
  end: (client: Client, error: PagewireError) => void,
): Clients {
  const clients = new Set<Client>();
  const expire = (client: Client) => end(client, credentialEnded(client.admitted));

  return {
    get size() {
      return clients.size;
    },
    check({ admitted, origin }) {
      if (!credentials.isStillGood(admitted, origin)) throw credentialEnded(admitted);
    },
    add(client) {
      const { expiresAt } = client.admitted;
      const cancelExpiry = expiresAt === undefined ? () => {} : runAt(expiresAt, () => expire(client));
      clients.add(client);
      return () => {
        clients.delete(client);
        cancelExpiry();
      };
    },
    review() {
      for (const client of clients) if (!credentials.isStillGood(client.admitted, client.origin)) expire(client);
    },
    broadcast(message) {
      for (const client of clients) if (isWire(client)) client.link.send(message);
    },
    async moveAway(milliseconds) {
      const agents = [...clients].filter(({ retire }) => retire);
      const pages = [...clients].filter((client) => isWire(client) && !client.retire);
      for (const { link } of agents) link.send(goaway(milliseconds / 2, true));
      for (const { link } of pages) link.send(goaway(moveInterval));
      const carriers = [...new Set(pages.map(({ carrier }) => carrier))];
      for (let left = Math.ceil(milliseconds / moveInterval); left > 0; left--) {
        for (const carrier of carriers.splice(0, Math.ceil(carriers.length / left)))
          carrier.close(closeReason("going-away"));
        await pause(moveInterval);
      }
      const late = [...clients].filter((client) => client.retire && !agents.includes(client));
      for (const { link } of late) link.send(goaway(lastTime / 2, true));
      await pause(lastTime);
      for (const { retire } of clients) retire?.();
    },
  };
}

function isWire({ turnAway }: Client): boolean {
  return turnAway === refuse;
}

function goaway(within: number, elsewhere?: true): Message {
  return encodeFrame({ type: "goaway", within: Math.round(within), elsewhere });
}

function credentialEnded({ browser }: Admitted): PagewireError {
  if (browser !== undefined) return new PagewireError("token-expired", unpaired);
  return new PagewireError("token-expired", "What let this connection in does not hold any more. Connect again.");
}

/** Longer delays overflow in Node. */
const maxTimeout = 2 ** 31 - 1;

/** Runs a function at a time in milliseconds since 1970; returns a function that cancels it. */
function runAt(time: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    const left = time - Date.now();
    timer = setTimeout(left > maxTimeout ? wait : run, Math.min(left, maxTimeout));
  };
  wait();
  return () => clearTimeout(timer);
}
