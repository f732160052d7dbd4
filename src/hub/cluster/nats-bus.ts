// The bus over core NATS: publish and subscribe only, so that nothing is delivered late by a broker's memory.
import { setTimeout } from "node:timers/promises";
import type { ConnectionOptions, NatsConnection, Subscription } from "@nats-io/transport-node";
import { PagewireError, messageOf, parseUrl } from "../../wire/index.ts";
import { isLoopbackHost } from "../options/reach.ts";
import type { Bus, BusOptions } from "./bus.ts";

/** A broker that answers no pings for twice this long is left, and another tried. */
const pingInterval = 2000;
const reconnectWait = 100;
const connectTime = 5000;
/** Queued messages are dropped after this time, for a server that hangs. */
const drainTime = 1000;

export async function connectNats({ servers, credentials }: BusOptions): Promise<Bus> {
  const nats = await load();
  const authenticator = credentials && nats.credsAuthenticator(credentials);
  const options = { ...readServers(servers), ...(authenticator && { authenticator }), ...resilience };
  let connection: NatsConnection;
  try {
    connection = await nats.connect(options);
  } catch (error) {
    const message = `The NATS server ${withoutSecrets(servers)} cannot be used: ${messageOf(error)}`;
    throw new PagewireError("bus-unavailable", message, { cause: error });
  }
  return new NatsBus(connection);
}

const resilience = {
  name: "pagewire",
  timeout: connectTime,
  maxReconnectAttempts: -1,
  reconnectTimeWait: reconnectWait,
  reconnectJitter: reconnectWait / 2,
  pingInterval,
  maxPingOut: 2,
} as const satisfies ConnectionOptions;

class NatsBus implements Bus {
  readonly #connection: NatsConnection;
  readonly #listeners = new Set<() => void>();
  isUp = true;
  #closing: Promise<void> | undefined;

  constructor(connection: NatsConnection) {
    this.#connection = connection;
    void this.#watch();
  }

  get maxBytes(): number {
    return this.#connection.info?.max_payload ?? 0;
  }

  publish(subject: string, message: Uint8Array): boolean {
    if (!this.isUp) return false;
    try {
      this.#connection.publish(subject, message);
      return true;
    } catch {
      // The connection ended a moment ago.
      return false;
    }
  }

  /** The client writes what it is given at once in one write. */
  afterTurn(run: () => void): void {
    setImmediate(run);
  }

  subscribe(subject: string, listener: (message: Uint8Array) => void): () => void {
    const subscription: Subscription = this.#connection.subscribe(subject, {
      callback: (error, { data }) => {
        if (!error) listener(data);
      },
    });
    return () => subscription.unsubscribe();
  }

  onState(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#leave());
  }

  async #leave(): Promise<void> {
    const wasUp = this.isUp;
    this.isUp = false;
    this.#listeners.clear();
    try {
      if (wasUp) await Promise.race([this.#connection.drain(), setTimeout(drainTime, undefined, { ref: false })]);
    } catch {
      // It has ended, or begun to end, already.
    } finally {
      await this.#connection.close();
    }
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === "disconnect" || type === "staleConnection" || type === "close") this.#set(false);
      else if (type === "reconnect") this.#set(true);
    }
  }

  #set(isUp: boolean): void {
    if (this.isUp === isUp || this.#closing) return;
    this.isUp = isUp;
    for (const listener of this.#listeners) listener();
  }
}

/** The client, which only hubs of a cluster load. */
async function load() {
  try {
    return await import("@nats-io/transport-node");
  } catch (error) {
    const message =
      "For hubs that share a NATS server install its client beside Pagewire: npm install @nats-io/transport-node";
    throw new PagewireError("options-invalid", message, { cause: error });
  }
}

function urlsOf(servers: string): URL[] {
  return servers.split(",").map((each) => {
    const text = each.trim();
    const url = parseUrl(text) && new URL(text);
    if (url && schemes.includes(url.protocol) && url.hostname !== "") return url;
    throw new PagewireError(
      "options-invalid",
      `"${text}" is no address of a NATS server, such as nats://127.0.0.1:4222.`,
    );
  });
}

const needsTls = (urls: readonly URL[]) => urls.some(({ protocol }) => protocol !== "nats:");

/** The other machines that messages go to without TLS, or with it only if the server asks for it. */
export function hostsInClear(servers: string): string[] {
  const urls = urlsOf(servers);
  const hosts = urls.map(({ hostname }) => hostname.replaceAll(/^\[|\]$/g, ""));
  return needsTls(urls) ? [] : hosts.filter((host) => !isLoopbackHost(host));
}

/** The parts of the addresses that the client needs: it does not read users and passwords in them. */
function readServers(servers: string): ConnectionOptions {
  const urls = urlsOf(servers);
  const [first] = urls;
  const user = decodeURIComponent(first?.username ?? "");
  const pass = decodeURIComponent(first?.password ?? "");
  const identity = user === "" ? {} : pass === "" ? { token: user } : { user, pass };
  return { servers: urls.map(({ host }) => host), ...identity, ...(needsTls(urls) && { tls: {} }) };
}

const schemes = ["nats:", "tls:", "nats+tls:"];

function withoutSecrets(servers: string): string {
  return servers.replaceAll(/\/\/[^@/,]*@/g, "//");
}
