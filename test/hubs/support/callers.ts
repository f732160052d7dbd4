// Callers by all doors behind a load balancer: each makes one call after another until it is stopped.
import { setTimeout as pause } from "node:timers/promises";
import { connectHub } from "pagewire/hub-client";
import type { HubClient } from "pagewire/hub-client";
import { WebSocket } from "ws";
import type { CallerDoor } from "../../chaos/calls/door.ts";
import { createHttpDoor } from "../../chaos/calls/http-door.ts";
import { createStatelessDoor } from "../../chaos/calls/stateless-door.ts";
import type { HubsWorld } from "./hubs-world.ts";

export interface Ended {
  readonly door: string;
  readonly tag: string;
  readonly key: string | undefined;
  readonly outcome: string;
  readonly ran: string;
  readonly message?: string | undefined;
}

interface Input {
  readonly tag: string;
  readonly work: number;
  readonly tabId: string;
}

type Send = (input: Input, key: string | undefined) => Promise<Pick<Ended, "outcome" | "ran" | "message">>;

const callersByDoor = 3;

/** Makes calls until `ending` is aborted; resolves with all of them once they have ended. */
export async function callByAllDoors(world: HubsWorld, ending: AbortSignal): Promise<readonly Ended[]> {
  const { url, token } = world;
  const ended: Ended[] = [];
  const clients: HubClient[] = [];
  const makers: Promise<void>[] = [];
  for (let number = 0; number < callersByDoor; number++) {
    const name = `caller-${number}`;
    const client = await connectAgent(world, name);
    clients.push(client);
    const doors: Readonly<Record<string, Send>> = {
      http: byRequest(createHttpDoor({ url, token, name })),
      mcp: byRequest(createStatelessDoor({ url, token, name })),
      agent: async (input, key) => client.call({ name: "work", arguments: { ...input }, key }),
    };
    for (const [door, send] of Object.entries(doors))
      makers.push(makeCalls(world, { caller: `${door}-${number}`, door, send, ended, ending }));
  }
  await Promise.all(makers);
  for (const client of clients) client.close();
  return ended;
}

interface Making {
  readonly caller: string;
  readonly door: string;
  readonly send: Send;
  readonly ended: Ended[];
  readonly ending: AbortSignal;
}

/** Every second call has a key; some last. */
async function makeCalls({ pages }: HubsWorld, { caller, door, send, ended, ending }: Making): Promise<void> {
  for (let count = 0; !ending.aborted; count++) {
    const tag = `${caller}-${count}`;
    const tabId = pages[(count * 7 + caller.length) % pages.length]?.tabId ?? "";
    const work = count % 5 === 0 ? 700 : 10;
    const key = count % 2 === 0 ? tag : undefined;
    const seen = await send({ tag, work, tabId }, key).catch((error: unknown) => ({
      outcome: "broken",
      ran: "maybe",
      message: String(error),
    }));
    const { outcome, ran, message } = seen;
    ended.push({ door, tag, key, outcome, ran, message });
    if (outcome !== "ok") await pause(50);
  }
}

function byRequest({ send, read }: CallerDoor): Send {
  return async (input, key) => {
    const { exchange } = await send({ tool: "work", input, key, seconds: undefined });
    return read(await exchange.answer);
  };
}

/** A hub proves itself by the address that it listens at, so a client of a load balancer is one that brings its token. */
function connectAgent({ url, token }: HubsWorld, name: string): Promise<HubClient> {
  class WithToken extends WebSocket {
    constructor(address: string, protocols?: string | string[]) {
      super(address, protocols, { headers: { Authorization: `Bearer ${token}` } });
    }
  }
  return connectHub({ url, agent: { name }, WebSocket: WithToken });
}
