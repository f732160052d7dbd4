// Sends each request to the current hub, at its current address and with its current token.
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import type { ExchangeRequest, Exchanges } from "./exchange.ts";
import { returnTimeout } from "./hub-finder.ts";
import type { Effort } from "./hub-finder.ts";
import type { HubAddress, HubSource } from "./hub-source.ts";
import { waitAfter } from "./wait.ts";
import type { Waiting } from "./wait.ts";

export interface HubRequest extends ExchangeRequest {
  /** "start" by default. */
  readonly effort?: Effort;
}

export interface HubHttp {
  /** Resolves when there is a hub, which is started if need be. */
  reach(signal: AbortSignal): Promise<void>;
  /**
   * Resolves when a response starts, with any status. Rejects with a `PagewireError` if nothing was sent; with any
   * other error if something may have been sent.
   */
  send(request: HubRequest): Promise<IncomingMessage>;
}

export interface HubHttpOptions {
  readonly exchanges: Exchanges;
  readonly source: HubSource;
  readonly waiting: Waiting;
}

export function createHubHttp({ exchanges, source, waiting }: HubHttpOptions): HubHttp {
  let wasThere = false;

  /** Whether the address or token has changed since, so that a retry may succeed. */
  async function hasChanged(address: HubAddress, signal: AbortSignal): Promise<boolean> {
    if (source.refused) await source.refused(address);
    else source.lost(address);
    const again = await source.find("look", signal).catch(() => address);
    return again.token !== address.token;
  }

  async function send({ effort = "start", ...request }: HubRequest): Promise<IncomingMessage> {
    const { signal } = request;
    const since = waiting.now();
    let wasRefused = false;
    for (let attempt = 0; ; attempt++) {
      let address: HubAddress | undefined;
      try {
        address = await source.find(effort, signal);
        const reply = await exchanges.open(address.endpoint, withToken(request, address));
        wasThere = true;
        if (reply.statusCode !== 401 || wasRefused) return reply;
        // A proof expires after a time, and with the run of the hub.
        wasRefused = true;
        if (!(await hasChanged(address, signal))) return reply;
        reply.destroy();
        continue;
      } catch (error) {
        if (signal.aborted || !PagewireError.isInstance(error) || error.code !== "hub-unreachable") throw error;
        if (address !== undefined) source.lost(address);
        // One that has never answered is more likely to be nowhere than to be just away.
        const timeout = wasThere ? returnTimeout : 0;
        if (effort === "look" || (effort === "start" && waiting.now() - since >= timeout)) throw error;
      }
      await waiting.pause(waitAfter(attempt), signal);
    }
  }

  return {
    async reach(signal) {
      await source.find("start", signal);
    },
    send,
  };
}

function withToken(request: ExchangeRequest, { token }: HubAddress): ExchangeRequest {
  return {
    ...request,
    headers: {
      accept: request.method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      authorization: `Bearer ${token}`,
      ...request.headers,
    },
  };
}
