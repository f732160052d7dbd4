// A server's notifications: changes of its lists, and updated resources.
import type { Client, McpSubscription, SubscriptionFilter } from "@modelcontextprotocol/client";
import { stableTime } from "./backoff.ts";
import { isPassing, shownAddress, statusOf, streamError, whyNot } from "./failures.ts";
import type { McpClock } from "./mcp-toolbox.ts";

export interface SubscriptionOptions {
  readonly url: string;
  /** The stream has ended. */
  lost(reason: unknown): void;
  /** The stream is open again; notifications in between are lost. */
  reopened(): void;
  problem(error: unknown): void;
  readonly timeout: number;
  readonly clock: McpClock;
  /** The delay before another attempt. */
  waitBefore(attempt: number): number;
}

export interface Subscription {
  /** Whether the stream was opened at the first attempt. */
  readonly opened: Promise<boolean>;
  /** Subscribes to these resources, too. */
  follow(uris: readonly string[]): void;
  close(): void;
}

/** Starts to listen. */
export function listen(client: Client, options: SubscriptionOptions): Subscription {
  return client.getProtocolEra() === "modern" ? listenByStream(client, options) : listenInSession(client, options);
}

/** A session already has its stream. */
function listenInSession(client: Client, { problem, timeout }: SubscriptionOptions): Subscription {
  const followed = new Set<string>();
  return {
    opened: Promise.resolve(true),
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

function listenByStream(client: Client, options: SubscriptionOptions): Subscription {
  const { url, lost, reopened, problem, timeout, clock, waitBefore } = options;
  let stopWaiting = () => {};
  let failures = 0;
  /** The number of streams that ended soon after they were opened. */
  let shortLived = 0;
  let followed: readonly string[] = [];
  let current: McpSubscription | undefined;
  let isClosed = false;

  function openLater(attempt: number, how?: "after its end"): void {
    stopWaiting();
    stopWaiting = clock.after(waitBefore(attempt), () => void (opening = opening.then(() => open(how))));
  }

  /** A stream that its server ends is opened again; one that breaks off may mean that the server is gone. */
  function watchEnd(stream: McpSubscription): void {
    const since = clock.now();
    void stream.closed.then((how) => {
      if (isClosed || current !== stream) return;
      if (how !== "graceful") return lost(new Error("The stream of its news ended."));
      shortLived = clock.now() - since < stableTime ? shortLived + 1 : 0;
      openLater(shortLived, "after its end");
    });
  }

  /** Subscriptions cannot be added to an open stream: a new one replaces it. */
  async function open(how?: "after its end"): Promise<boolean> {
    const filter = filterFor(client, followed);
    if (isClosed || Object.keys(filter).length === 0) return false;
    try {
      const next = await client.listen(filter, { timeout });
      const before = current;
      current = next;
      if (failures > 0 || how) reopened();
      failures = 0;
      watchEnd(next);
      await before?.close();
      if (isClosed) await next.close();
      return true;
    } catch (error) {
      if (isClosed) return false;
      if (how && !isPassing(statusOf(error) ?? 0)) lost(error);
      else {
        const isFinal = isRefusal(error);
        const why = `${whyNot(error, shownAddress(url))}${isFinal ? "" : ". It is asked again"}`;
        if (failures === 0) problem(streamError(url, why, error));
        if (!isFinal) openLater(failures++);
      }
      return false;
    }
  }

  let opening = open();
  return {
    opened: opening,
    follow(uris) {
      if (!client.getServerCapabilities()?.resources?.subscribe) return;
      if (uris.every((uri) => followed.includes(uri))) return;
      followed = uris;
      opening = opening.then(() => open());
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
