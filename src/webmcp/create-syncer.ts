// Keeps the browser's tools equal to the servers'. Loaded with the MCP client.
import type { BridgeNotifier } from "./bridge-notifier.ts";
import type { BridgeSettings, ServerSetting } from "./bridge-settings.ts";
import { gatherTools } from "./bridge-tools.ts";
import type { BridgedTools, ServerBridge } from "./bridge-tools.ts";
import type { Mirror, RefusedTool } from "./mirror.ts";

export interface SyncNeeds {
  readonly settings: Pick<BridgeSettings, "servers" | "safeNames">;
  readonly bridges: ReadonlyMap<ServerSetting, ServerBridge>;
  readonly mirror: Mirror;
  readonly notifier: BridgeNotifier;
  /** Ends everything when it aborts. */
  readonly stop: AbortSignal;
}

export interface Syncer {
  /** Registers the servers' tools as they are now. One at a time; callers that arrive while one is queued share it. */
  sync(): Promise<void>;
  /** The tools that are not registered. */
  refused(): readonly RefusedTool[];
  /** Resolves when nothing is being registered. */
  settled(): Promise<void>;
}

/** How often a browser without `toolchange` events is asked for the names that it refused, in milliseconds. */
const retakeTime = 2000;

export function createSyncer(context: Partial<EventTarget>, needs: SyncNeeds): Syncer {
  const { settings, bridges, mirror, notifier, stop } = needs;
  let given: BridgedTools = { offered: [], mirrored: [], refused: [] };
  let syncing = Promise.resolve();
  let isSyncQueued = false;
  let isRetakeQueued = false;

  async function syncNow(): Promise<void> {
    isSyncQueued = false;
    if (stop.aborted) return;
    const inOrder = settings.servers.map((server) => bridges.get(server)).filter((bridge) => bridge !== undefined);
    const known = new Set(given.refused.map((one) => JSON.stringify(one)));
    given = gatherTools(inOrder, settings.safeNames);
    for (const one of given.refused) if (!known.has(JSON.stringify(one))) notifier.leftOut(one);
    await mirror.sync(given.mirrored);
    notifier.synced(given.offered);
  }

  /** Names that the browser refused may be free now. */
  async function retakeNow(): Promise<void> {
    const before = mirror.names().length;
    await mirror.sync(given.mirrored);
    isRetakeQueued = false;
    if (mirror.names().length > before) notifier.synced(given.offered);
  }

  function retake(): void {
    if (isRetakeQueued || mirror.refused().length === 0) return;
    isRetakeQueued = true;
    syncing = syncing.then(retakeNow);
  }

  if (context.addEventListener) context.addEventListener("toolchange", retake, { signal: stop });
  else {
    const timer = setInterval(retake, retakeTime);
    stop.addEventListener("abort", () => clearInterval(timer));
  }
  return {
    sync() {
      if (!isSyncQueued) syncing = syncing.then(syncNow);
      isSyncQueued = true;
      return syncing;
    },
    refused() {
      const leftOut = Array.from(bridges.values(), (bridge) => bridge.leftOut()).flat();
      return [...leftOut, ...given.refused, ...mirror.refused()];
    },
    settled: () => syncing,
  };
}
