// The tools of several MCP servers in the browser: manages the connections, the registered tools, and their disposal.
import { PagewireError, messageOf } from "../wire/index.ts";
import { aboutServer, shownUrl, throwAll } from "./bridge-errors.ts";
import { createNotifier } from "./bridge-notifier.ts";
import type { BridgeSettings, ServerSetting } from "./bridge-settings.ts";
import type { ServerBridge } from "./bridge-tools.ts";
import type { Syncer } from "./create-syncer.ts";
import { createMirror } from "./mirror.ts";
import type { FoundContext } from "./model-context.ts";
import type { WebMcpHandle } from "./web-mcp-options.ts";

export interface Bridge {
  readonly handle: WebMcpHandle;
  /** Resolves when each server has answered or could not be reached; rejects if none could. */
  start(): Promise<void>;
}

export function createBridge(found: FoundContext, settings: BridgeSettings): Bridge {
  const { servers, exposedTo, results = found.at === "document" ? "mcp" : "text" } = settings;
  const stop = new AbortController();
  const notifier = createNotifier(settings, stop.signal);
  const mirror = createMirror({ found, exposedTo, onRefused: notifier.leftOut });
  const bridges = new Map<ServerSetting, ServerBridge>();
  const needs = { settings, bridges, mirror, notifier, stop: stop.signal };
  let syncer: Syncer | undefined;
  let refreshing: Promise<void> | undefined;
  let disposing: Promise<void> | undefined;

  /** Returns why the server could not be reached; empty if it was. */
  async function connect(setting: ServerSetting): Promise<readonly Error[]> {
    const failures: Error[] = [];
    /** Errors during the clean-up after a failure are not reported in addition. */
    const early: Error[] = [];
    const connector = await loadConnector();
    stop.signal.throwIfAborted();
    const { sync } = (syncer ??= connector.createSyncer(found.context as Partial<EventTarget>, needs));
    const bridge = await connector.connectServer(setting, {
      settings: { ...settings, results },
      stop: stop.signal,
      changed: () => void sync(),
      problem(error) {
        const about = aboutServer(error, setting.url);
        if (bridges.has(setting)) notifier.problem(about);
        else early.push(about);
      },
      // With several servers, the reachable ones are useful on their own.
      unreached: servers.length > 1 ? (error) => failures.push(aboutServer(error, setting.url)) : undefined,
      back: () => notifier.back(shownUrl(setting.url)),
      progress: notifier.progressed,
    });
    bridges.set(setting, bridge);
    // Disposing closes the bridges it knows.
    if (stop.signal.aborted) await bridge.close();
    stop.signal.throwIfAborted();
    for (const error of early) notifier.problem(error);
    if (failures.length === 0) await sync();
    return failures;
  }

  async function refreshNow(): Promise<void> {
    const failures = await refreshAll([...bridges.values()], async () => syncer?.sync());
    if (!stop.signal.aborted) throwAll(failures);
  }

  async function end(): Promise<void> {
    stop.abort(new PagewireError("cancelled", "The handle of registerWebMcp was disposed."));
    mirror.close();
    const closing = Array.from(bridges.values(), (bridge) => bridge.close());
    await Promise.allSettled([...closing, refreshing, syncer?.settled()]);
  }

  const dispose = () => (disposing ??= end());
  settings.signal?.addEventListener("abort", () => void dispose(), { signal: stop.signal });
  return {
    handle: {
      get tools() {
        return [...mirror.names()];
      },
      get refused() {
        return stop.signal.aborted ? [] : [...(syncer?.refused() ?? [])];
      },
      get disposed() {
        return stop.signal.aborted;
      },
      refresh() {
        if (stop.signal.aborted) return Promise.resolve();
        return (refreshing ??= refreshNow().finally(() => (refreshing = undefined)));
      },
      dispose,
    },
    async start() {
      const failures = (await Promise.all(servers.map(connect))).flat();
      if (failures.length === servers.length) throwAll(failures);
      for (const failure of failures) notifier.problem(failure);
    },
  };
}

async function refreshAll(bridges: readonly ServerBridge[], sync: () => Promise<void>): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  const refresh = async (bridge: ServerBridge) => {
    await bridge.refresh();
    await sync();
  };
  await Promise.all(bridges.map((bridge) => refresh(bridge).catch((error) => failures.push(error))));
  return failures;
}

type Connector = typeof import("./bridge-server.ts");

async function loadConnector(): Promise<Connector> {
  try {
    return await import("./bridge-server.ts");
  } catch (cause) {
    throw new PagewireError("part-missing", `The MCP client could not be loaded: ${messageOf(cause)}`, { cause });
  }
}
