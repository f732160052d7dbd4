// Real MCP servers for a browser test: they run in Node, and end with the test.
import { afterEach } from "vitest";
import { inNode } from "../../test/support/in-node.ts";
import type { Seen, ServedSetting } from "./servers-in-node.test-helper.ts";

const servers = inNode<typeof import("./servers-in-node.test-helper.ts")>(
  new URL("./servers-in-node.test-helper.ts", import.meta.url),
);

/** A server from the browser's point of view. */
export interface ServedServer {
  readonly url: string;
  /** Sets the server's text; if the tools change, clients are notified. */
  change(setting: ServedSetting): Promise<void>;
  /** Drops all connections, and stops listening. */
  stop(): Promise<void>;
  /** Listens again at the same address, without any earlier state. */
  start(): Promise<void>;
  /** Drops all connections, and continues. */
  cut(): Promise<void>;
  /** Forgets all sessions without notifying their clients. */
  expire(): Promise<void>;
  /** Revokes the tokens that its authorization server issued. */
  revoke(): Promise<void>;
  look(): Promise<Seen>;
  /** The number of requests for one MCP method, or by one HTTP method. */
  count(method: string): Promise<number>;
}

const urls: string[] = [];

afterEach(() => servers.end(urls.splice(0)));

/** Starts a server at its own origin. */
export async function serve(setting: ServedSetting = {}): Promise<ServedServer> {
  const url = await servers.start(setting);
  urls.push(url);
  return {
    url,
    change: (next) => servers.change(url, next),
    stop: () => servers.tell(url, "stop"),
    start: () => servers.tell(url, "start"),
    cut: () => servers.tell(url, "cut"),
    expire: () => servers.tell(url, "expire"),
    revoke: () => servers.tell(url, "revoke"),
    look: () => servers.look(url),
    async count(method) {
      const { heard } = await servers.look(url);
      return heard.filter((one) => one.method === method || one.http === method).length;
    },
  };
}
