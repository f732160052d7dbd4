// One transport of a shell, from its first message to its end.
import { linkCloseCodes } from "../../wire/index.ts";
import type { Json } from "../../wire/index.ts";
import type { ClientAnnouncement, ServerTransport, ClientMessage } from "./messages.ts";
import { parseClientMessage } from "./parse-client-message.ts";
import { remoteError, toWireError } from "./remote-error.ts";
import type { Reachable, ShellClient } from "./shell-commands.ts";
import type { ShellContext } from "./shell-context.ts";
import { ShellOutbox } from "./shell-outbox.ts";
import type { Tracked } from "./tracked-values.ts";
import { copyJson } from "./copy-json.ts";
import { isReservedName, requireDeclared } from "./names.ts";

export interface Attachment extends Reachable {
  readonly client: ShellClient;
  receive(message: unknown): void;
  /** A property changed; `byEvent` when the core dispatched it. */
  changed(tracked: Tracked, byEvent: boolean): void;
  /** Ends it after the transport was lost. */
  close(): void;
}

export interface AttachmentOptions {
  readonly context: ShellContext;
  readonly transport: ServerTransport;
  readonly ended: (attachment: Attachment) => void;
}

export function createAttachment({ context, transport, ended }: AttachmentOptions): Attachment {
  const { logger, limits, clock } = context;
  const tooSlow = () => self.end(linkCloseCodes["too-slow"], "The client does not read its messages.");
  const outbox = new ShellOutbox({ context, transport, tooSlow });
  /** Whether the client is one of Pagewire's, and its id. */
  let isOurs = false;
  let client = context.client(undefined);
  let lastReceived = clock.now();
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
  function watch(timeout: number): void {
    const left = lastReceived + timeout - clock.now();
    if (left > 0) stopWatch = clock.after(left, () => watch(timeout));
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
      lastReceived = clock.now();
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
    changed: (tracked, byEvent) => outbox.changed(tracked, byEvent),
    answer: (outcome) => outbox.answer(outcome),
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

type Request = Extract<ClientMessage, { type: "set" | "cmd" }>;

/** A request's sender and its reply. */
interface Requester {
  readonly client: ShellClient;
  /** Whether it is one of Pagewire's. */
  readonly isOurs: boolean;
  /** Rejects: in a reply to the id, or in the log without one. */
  refuse(id: string | undefined, error: unknown): void;
}

/** Performs a request, once for each id; answers it if it has an id. */
function perform(context: ShellContext, { client, isOurs, refuse }: Requester, request: Request): void {
  const { logger } = context;
  const { id, name } = request;
  const { commands } = client;
  if (id !== undefined && commands.has(id)) {
    const outcome = commands.outcome(id);
    // After a reconnect, Pagewire's clients repeat their pending requests.
    if (outcome) client.attachment?.answer(outcome);
    else if (!isOurs) logger.warn("A message was dropped: its id belongs to a request that is still pending.");
    return;
  }
  let work: (signal: AbortSignal) => unknown;
  try {
    if (isReservedName(name))
      throw remoteError("WC_BINDABLE_RESERVED_NAME", `"${name.slice(0, 100)}" is a reserved name.`);
    requireDeclared(isOurs ? context.full : context.plain, request.type === "cmd" ? "commands" : "inputs", name);
    if (id !== undefined && commands.size >= context.limits.commandsInFlight) {
      throw remoteError(
        "PAGEWIRE_TOO_MANY_CALLS",
        `${commands.size} calls are unanswered already (limit commandsInFlight). Wait for one of them.`,
      );
    }
    work = workOf(context, request);
  } catch (error) {
    return refuse(id, error);
  }
  if (id !== undefined) return commands.run(id, work);
  try {
    work(new AbortController().signal);
  } catch (error) {
    logger.error(`The input "${name}" was not set: ${toWireError(error).message}`);
  }
}

/** A message's request, with its values checked. */
function workOf({ core, bounds, call }: ShellContext, request: Request): (signal: AbortSignal) => unknown {
  const { name } = request;
  if (request.type === "cmd") {
    const args = copyJson(request.args, bounds) as readonly Json[];
    return (signal) => call({ name, args, signal });
  }
  const value = copyJson(request.value, bounds);
  return () => {
    (core as unknown as Record<string, unknown>)[name] = value;
  };
}
