// Requests to whichever hub there is: each one goes to where the hub is then, with the token of then.
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../wire/index.ts";
import type { ExchangeRequest, Exchanges } from "./exchange.ts";
import { PATIENCE } from "./hub-finder.ts";
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
   * Resolves when an answer begins, whatever its status. Rejects with a `PagewireError` when nothing was sent; with any
   * other error when something may have been.
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

  async function send({ effort = "start", ...request }: HubRequest): Promise<IncomingMessage> {
    const { signal } = request;
    const since = waiting.now();
    for (let attempt = 0; ; attempt++) {
      const address = await source.find(effort, signal);
      try {
        const reply = await exchanges.open(address.endpoint, withToken(request, address));
        wasThere = true;
        return reply;
      } catch (error) {
        if (signal.aborted || !PagewireError.isInstance(error)) throw error;
        source.lost(address);
        // One that has never answered is more likely to be nowhere than to be just away.
        const patience = wasThere ? PATIENCE : 0;
        if (effort === "look" || (effort === "start" && waiting.now() - since >= patience)) throw error;
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
