// Real MCP servers for a test in the browser: they run in Node, and end with the test.
import { afterEach } from "vitest";
import { inNode } from "../../test/support/in-node.ts";
import type { Seen, ServedSetting } from "./servers-in-node.test-helper.ts";

const servers = inNode<typeof import("./servers-in-node.test-helper.ts")>(
  new URL("./servers-in-node.test-helper.ts", import.meta.url),
);

/** A server as the browser has it. */
export interface ServedServer {
  readonly url: string;
  /** Sets what is said; those who listen are told of other tools. */
  change(setting: ServedSetting): Promise<void>;
  /** Cuts all connections, and listens no more. */
  stop(): Promise<void>;
  /** Listens again at the same address, knowing nothing of before. */
  start(): Promise<void>;
  /** Cuts all connections, and goes on. */
  cut(): Promise<void>;
  /** Forgets all sessions, without a word to their clients. */
  expire(): Promise<void>;
  /** Takes back the tokens that its authorization server gave. */
  revoke(): Promise<void>;
  look(): Promise<Seen>;
  /** How many requests came for one method, or by one HTTP method. */
  count(method: string): Promise<number>;
}

const urls: string[] = [];

afterEach(() => servers.end(urls.splice(0)));

/** Starts a server at an origin of its own. */
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
