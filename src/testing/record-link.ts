import type { Link } from "../link/index.ts";
import type { CloseReason, Message } from "../wire/index.ts";

/** What a link has told its user, and promises of what it will. */
export interface LinkRecord {
  readonly messages: readonly Message[];
  readonly closings: readonly CloseReason[];
  /** Resolves once so many messages have come in all. */
  received(count: number): Promise<readonly Message[]>;
  /** Resolves once the link has closed. */
  readonly closed: Promise<CloseReason>;
}

/** Starts a link and writes down all that it tells. */
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
