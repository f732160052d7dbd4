// What a client has said in its session, as far as a hub that knows nothing of it must be told again.
import type { JsonObject } from "../../wire/index.ts";
import type { NotificationMessage, RequestMessage } from "./message.ts";

export interface SessionMemory {
  /** The client's own `initialize`; undefined before it came. */
  readonly initialize: RequestMessage | undefined;
  /** The client's own `notifications/initialized`. */
  readonly initialized: NotificationMessage | undefined;
  /** The resources that it hears of. */
  readonly resources: readonly string[];
  /** The requests to make again. */
  readonly again: readonly { readonly method: string; readonly params: JsonObject }[];
  /** Keeps what a request that succeeded has changed. */
  keep(request: RequestMessage): void;
  keepInitialized(notification: NotificationMessage): void;
}

export function createSessionMemory(): SessionMemory {
  let initialize: RequestMessage | undefined;
  let initialized: NotificationMessage | undefined;
  let logging: JsonObject | undefined;
  const subscriptions = new Map<string, JsonObject>();

  return {
    get initialize() {
      return initialize;
    },
    get initialized() {
      return initialized;
    },
    get resources() {
      return [...subscriptions.keys()];
    },
    get again() {
      return [
        ...(logging === undefined ? [] : [{ method: "logging/setLevel", params: logging }]),
        ...[...subscriptions.values()].map((params) => ({ method: "resources/subscribe", params })),
      ];
    },
    keep(request) {
      const { method, params } = request;
      const uri = typeof params["uri"] === "string" ? params["uri"] : "";
      if (method === "logging/setLevel") logging = params;
      else if (method === "resources/subscribe") subscriptions.set(uri, params);
      else if (method === "resources/unsubscribe") subscriptions.delete(uri);
      else if (method === "initialize") {
        // A client that begins anew has said nothing yet.
        initialize = request;
        initialized = undefined;
        logging = undefined;
        subscriptions.clear();
      }
    },
    keepInitialized(notification) {
      initialized = notification;
    },
  };
}
