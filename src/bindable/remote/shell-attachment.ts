// One transport of a shell, from its first message to its end.
import { linkCloseCodes } from "../../wire/index.ts";
import type { ClientAnnouncement, ServerTransport } from "./messages.ts";
import { parseClientMessage } from "./parse-client-message.ts";
import { remoteError, toWireError } from "./remote-error.ts";
import type { Reachable, ShellClient } from "./shell-client.ts";
import type { ShellContext } from "./shell-context.ts";
import { createShellOutbox } from "./shell-outbox.ts";
import { perform } from "./shell-requests.ts";
import type { Tracked } from "./tracked-values.ts";

export interface Attachment extends Reachable {
  readonly client: ShellClient;
  receive(message: unknown): void;
  /** A property changed; `byEvent` when the core said so itself. */
  changed(tracked: Tracked, byEvent: boolean): void;
  /** The transport is gone. */
  close(): void;
}

export interface AttachmentOptions {
  readonly context: ShellContext;
  readonly transport: ServerTransport;
  /** The attachment has ended the transport. */
  readonly ended: (attachment: Attachment) => void;
}

export function createAttachment({ context, transport, ended }: AttachmentOptions): Attachment {
  const { logger, limits, clock } = context;
  const tooSlow = () => self.end(linkCloseCodes["too-slow"], "The client does not read what it is told.");
  const outbox = createShellOutbox({ context, transport, tooSlow });
  /** Whether the client has said that it is one of Pagewire's, and who. */
  let isOurs = false;
  let client = context.client(undefined);
  let heard = clock.now();
  let stopWatch: (() => void) | undefined;
  let open = true;

  function sync(announced: ClientAnnouncement | undefined): void {
    if (outbox.isFull) return tooSlow();
    if (isOurs || !announced) return outbox.sync(isOurs);
    const next = context.client(announced.client);
    const wasHere = next.attachment !== undefined || next.stopExpiry !== undefined;
    next.attachment?.end(linkCloseCodes.normal, "The client came back over another connection.");
    next.stopExpiry?.();
    next.stopExpiry = undefined;
    next.attachment = self;
    client = next;
    isOurs = true;
    const { session, pending = [], heartbeat } = announced;
    client.commands.keepOnly(pending);
    outbox.sync(isOurs, wasHere && session !== undefined && session === context.session ? announced : undefined);
    if (open && heartbeat !== undefined) watch(Math.max(limits.silence, 2 * heartbeat));
  }

  /** Ends a connection that promised signs of life and gives none. */
  function watch(patience: number): void {
    const left = heard + patience - clock.now();
    if (left > 0) stopWatch = clock.after(left, () => watch(patience));
    else self.end(linkCloseCodes["heartbeat-missed"], "The client gave no sign of life in time.");
  }

  function refuse(id: string | undefined, error: unknown): void {
    // An answer with the id of a call that runs would be taken for that call's.
    if (id === undefined || client.commands.has(id))
      logger.warn(`A message was dropped: ${toWireError(error).message}`);
    else self.answer({ type: "throw", id, error: toWireError(error) });
  }

  const self: Attachment = {
    get client() {
      return client;
    },
    receive(given) {
      if (!open) return;
      heard = clock.now();
      const message = parseClientMessage(given);
      switch (message.type) {
        case "malformed":
          return refuse(message.id, remoteError("WC_BINDABLE_PROTOCOL_ERROR", message.why));
        case "sync":
          try {
            return sync(message.pagewire);
          } catch (error) {
            outbox.send({ type: "refused", error: toWireError(error) });
            return self.end(1008, toWireError(error).message);
          }
        case "cancel":
          return client.commands.cancel(message.id);
        case "got":
          return client.commands.taken(message.ids);
        case "ping":
          return outbox.isFull ? undefined : outbox.send({ type: "pong" });
        default:
          return perform(context, { client, isOurs, refuse }, message);
      }
    },
    changed: outbox.changed,
    answer: outbox.answer,
    end(code, reason) {
      self.close();
      if (transport.close) transport.close(code, reason);
      ended(self);
    },
    close() {
      if (!open) return;
      open = false;
      outbox.close();
      stopWatch?.();
      if (client.attachment === self) client.attachment = undefined;
      transport.dispose?.();
    },
  };
  client.attachment = self;
  return self;
}
