// A hub on a free port, with everything that a test may want to control or inspect.
import { onTestFinished } from "vitest";
import { createHub } from "../create-hub.ts";
import type { Hub } from "../create-hub.ts";
import type { LogRecord } from "../common/log.ts";
import type { HubOptions } from "../options/options.ts";
import { closeSockets, shop } from "./peer.test-helper.ts";

export interface TestHub extends Hub {
  /** The agents' current token. */
  readonly token: string;
  readonly records: readonly LogRecord[];
  rotate(token: string): void;
  allow(origin: string): void;
  disallow(origin: string): void;
  /** The value of a line of /metrics, such as `pagewire_tabs`. */
  metric(name: string, agentToken?: string): Promise<number>;
}

/** Starts a hub, by default in local mode; it is closed after the test. */
export async function startHub(options: Partial<HubOptions> = {}): Promise<TestHub> {
  let token = "agents-token-of-this-test";
  const origins = new Set([shop]);
  const listeners = new Set<() => void>();
  const records: LogRecord[] = [];
  const tell = () => {
    for (const listener of listeners) listener();
  };

  const hub = await createHub({
    port: 0,
    agentToken: () => token,
    allowedOrigins: () => [...origins],
    onStateChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log: (record) => records.push(record),
    ...options,
  });
  onTestFinished(async () => {
    closeSockets();
    await hub.close();
  });

  return {
    ...hub,
    records,
    get token() {
      return token;
    },
    rotate(next) {
      token = next;
      tell();
    },
    allow(origin) {
      origins.add(origin);
      tell();
    },
    disallow(origin) {
      origins.delete(origin);
      tell();
    },
    async metric(name, agentToken = token) {
      const response = await fetch(`${hub.url}/metrics`, { headers: { Authorization: `Bearer ${agentToken}` } });
      const text = await response.text();
      const line = text.split("\n").find((one) => one.startsWith(`${name} `));
      if (line === undefined) throw new Error(`/metrics has no "${name}": ${response.status} ${text.slice(0, 200)}`);
      return Number(line.slice(name.length));
    },
  };
}
