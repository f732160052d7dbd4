import { createFakeClock } from "../../testing/index.ts";
import type { RemoteCoreProxyOptions } from "./client-calls.ts";
import { createHandServer, createLogger } from "./fake-sockets.test-helper.ts";
import type { ClientMessage } from "./messages.ts";
import { createRemoteCoreProxy } from "./remote-core-proxy.ts";
import type { RemoteError } from "./remote-error.ts";

export const declaration = {
  protocol: "wc-bindable",
  version: 1,
  properties: [
    { name: "value", event: "core:changed", getter: () => "the server's" },
    { name: "other", event: "core:changed" },
  ],
  inputs: [{ name: "url" }, { name: "value" }],
  commands: [{ name: "fetch" }, { name: "abort" }],
} as const;

export function createClient(options: RemoteCoreProxyOptions = {}) {
  const server = createHandServer();
  const clock = createFakeClock();
  const logger = createLogger();
  const proxy = createRemoteCoreProxy<{ value: unknown; other: unknown }>(declaration, server, {
    clock,
    logger,
    ...options,
  });
  return { server, clock, logger, proxy };
}

/** The same, with a stock server that has answered. */
export function createSyncedClient(options: RemoteCoreProxyOptions = {}) {
  const made = createClient(options);
  made.server.give({ type: "sync", values: { value: 1 }, capabilities: { setAck: true } });
  made.server.take();
  return made;
}

export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof Error && (error as RemoteError).code;
}

export const idOf = (message: ClientMessage | undefined): string => (message as { readonly id: string }).id;
