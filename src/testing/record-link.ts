import type { Link } from "../link/index.ts";
import type { CloseReason, Message } from "../wire/index.ts";

/** The events of a link so far, and promises of later ones. */
export interface LinkRecord {
  readonly messages: readonly Message[];
  readonly closings: readonly CloseReason[];
  /** Resolves once this many messages have arrived in all. */
  received(count: number): Promise<readonly Message[]>;
  /** Resolves once the link has closed. */
  readonly closed: Promise<CloseReason>;
}

/** Starts a link and records all its events. */
export function recordLink(link: Link, onMessage: (message: Message) => void = () => {}): LinkRecord {
  const messages: Message[] = [];
  const closings: CloseReason[] = [];
  const watchers = new Set<() => void>();
  const { promise: closed, resolve: resolveClosed } = deferred<CloseReason>();

  link.start({
    message(message) {
      messages.push(message);
      onMessage(message);
      for (const watch of watchers) watch();
    },
    closed(reason) {
      closings.push(reason);
      resolveClosed(reason);
    },
  });

  return {
    messages,
    closings,
    closed,
    received(count) {
      const { promise, resolve } = deferred<readonly Message[]>();
      const watch = () => {
        if (messages.length < count) return;
        watchers.delete(watch);
        resolve(messages);
      };
      watchers.add(watch);
      watch();
      return promise;
    },
  };
}

function deferred<Value>(): { readonly promise: Promise<Value>; resolve(value: Value): void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
