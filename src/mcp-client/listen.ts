// A server's notifications: changes of its lists, and updated resources.
import type { Client, McpSubscription, SubscriptionFilter } from "@modelcontextprotocol/client";
import { backoff } from "./backoff.ts";
import { isPassing, statusOf } from "./failures.ts";
import type { McpClock } from "./mcp-toolbox.ts";

export interface SubscriptionOptions {
  /** The stream has ended. */
  lost(reason: unknown): void;
  /** The stream is open again; notifications in between are lost. */
  reopened(): void;
  problem(error: unknown): void;
  readonly timeout: number;
  readonly clock: McpClock;
  readonly random: () => number;
}

export interface Subscription {
  /** Subscribes to these resources, too. */
  follow(uris: readonly string[]): void;
  close(): void;
}

/** Starts to listen. Resolves when the stream is open, or if the server has nothing to notify about. */
export async function listen(client: Client, options: SubscriptionOptions): Promise<Subscription> {
  return client.getProtocolEra() === "modern" ? listenByStream(client, options) : listenInSession(client, options);
}

/** A session already has its stream. */
function listenInSession(client: Client, { problem, timeout }: SubscriptionOptions): Subscription {
  const followed = new Set<string>();
  return {
    follow(uris) {
      if (!client.getServerCapabilities()?.resources?.subscribe) return;
      for (const uri of uris) {
        if (followed.has(uri)) continue;
        followed.add(uri);
        client.subscribeResource({ uri }, { timeout }).catch(problem);
      }
    },
    close() {},
  };
}

async function listenByStream(client: Client, options: SubscriptionOptions): Promise<Subscription> {
  const { lost, reopened, problem, timeout, clock, random } = options;
  let stopWaiting = () => {};
  let failures = 0;
  let followed: readonly string[] = [];
  let current: McpSubscription | undefined;
  let isClosed = false;

  /** Subscriptions cannot be added to an open stream: a new one replaces it. */
  async function open(): Promise<void> {
    const filter = filterFor(client, followed);
    if (isClosed || Object.keys(filter).length === 0) return;
    try {
      const next = await client.listen(filter, { timeout });
      const before = current;
      current = next;
      if (failures > 0) reopened();
      failures = 0;
      void next.closed.then(() => {
        if (!isClosed && current === next) lost(new Error("The stream of its news ended."));
      });
      await before?.close();
      if (isClosed) await next.close();
    } catch (error) {
      if (isClosed) return;
      if (failures === 0) problem(error);
      if (isRefusal(error)) return;
      stopWaiting();
      stopWaiting = clock.after(backoff(failures++, random), () => void (opening = opening.then(open)));
    }
  }

  let opening = open();
  await opening;
  return {
    follow(uris) {
      if (!client.getServerCapabilities()?.resources?.subscribe) return;
      if (uris.every((uri) => followed.includes(uri))) return;
      followed = uris;
      opening = opening.then(open);
    },
    close() {
      isClosed = true;
      stopWaiting();
      void current?.close();
    },
  };
}

/** Whether the server replied that it has no such stream, now or later. */
function isRefusal(error: unknown): boolean {
  const status = statusOf(error);
  return typeof (error as { code?: unknown }).code === "number" || (status !== undefined && !isPassing(status));
}

/** Whether a server declares that its lists may change. */
export function declaresChanges(client: Client): boolean {
  return Object.keys(filterFor(client, [])).length > 0;
}

function filterFor(client: Client, followed: readonly string[]): SubscriptionFilter {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  return {
    ...(tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(prompts?.listChanged ? { promptsListChanged: true } : {}),
    ...(resources?.listChanged ? { resourcesListChanged: true } : {}),
    ...(followed.length > 0 ? { resourceSubscriptions: [...followed] } : {}),
  };
}
