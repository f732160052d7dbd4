// The server's side of one core: its state for any number of clients, each of which may resume over another transport.
import { systemClock } from "../../link/index.ts";
import type { Clock } from "../../link/index.ts";
import type { WcBindableDeclaration } from "../declaration.ts";
import { getWcBindableDeclaration } from "../declaration.ts";
import { copyJson } from "./copy-json.ts";
import type { BindableLogger, ServerTransport } from "./messages.ts";
import { namesOf } from "./names.ts";
import { remoteError, toWireError } from "./remote-error.ts";
import { createAttachment } from "./shell-attachment.ts";
import type { Attachment } from "./shell-attachment.ts";
import { createShellClient } from "./shell-commands.ts";
import type { ShellClient } from "./shell-commands.ts";
import type { ShellCall, ShellContext, ShellLimits } from "./shell-context.ts";
import { resolveShellLimits } from "./shell-context.ts";
import { createTrackedValues } from "./tracked-values.ts";

export interface ShellOptions {
  /** The interface for clients; the declaration of the core's class by default. */
  readonly declaration?: WcBindableDeclaration;
  /** The same for clients of the bare protocol. */
  readonly plainDeclaration?: WcBindableDeclaration;
  /** Updates that may come about while a client's first values are read. 1024 when left out. */
  readonly maxSyncUpdateBuffer?: number;
  readonly limits?: Partial<ShellLimits>;
  readonly logger?: BindableLogger;
  readonly clock?: Clock;
}

/** A shell's dependencies. */
export interface ShellPlace {
  /** The name for resuming. */
  readonly session?: string;
  /** How long a disconnected client is remembered. No client can resume when left out. */
  readonly keepFor?: number;
  /** Runs a command in another way than by calling the core's method. */
  readonly call: ((call: ShellCall) => unknown) | undefined;
  /** Whether thrown errors are sent with their causes. */
  readonly causes?: boolean;
  /** A client has disconnected. */
  detached?(): void;
}

export interface Shell {
  /** Serves a transport. Its owner passes on the messages, also earlier ones. */
  attach(transport: ServerTransport): Attachment;
  /** The transport has ended. */
  detach(attachment: Attachment): void;
  readonly attached: number;
  knows(client?: string): boolean;
  close(): void;
}

export function createShell(core: EventTarget, options: ShellOptions, place: ShellPlace): Shell {
  const declaration = options.declaration ?? getWcBindableDeclaration(core);
  if (!declaration) throw new TypeError("The core's class has no sound wcBindable declaration.");
  const { logger = console, clock = systemClock, maxSyncUpdateBuffer = 1024, plainDeclaration = declaration } = options;
  const limits = resolveShellLimits(options.limits);
  const bounds = { depth: limits.jsonDepth, size: limits.valueSize };
  const attachments = new Set<Attachment>();
  const clients = new Map<string, ShellClient>();
  const full = namesOf(declaration);
  const plain = namesOf(plainDeclaration);

  const values = createTrackedValues({
    core,
    declaration,
    bounds,
    logger,
    changed(tracked, byEvent) {
      for (const attachment of attachments) attachment.changed(tracked, byEvent);
    },
  });

  function client(id: string | undefined): ShellClient {
    const known = id === undefined ? undefined : clients.get(id);
    if (known) return known;
    const canReturn = id !== undefined && place.keepFor !== undefined;
    const copy = (value: unknown) => copyJson(value, bounds);
    const made = createShellClient({ canReturn, copy, causes: place.causes === true });
    if (id !== undefined) {
      makeRoom();
      clients.set(id, made);
    }
    return made;
  }

  /** Forgets the first client that is away and has nothing running, where there are too many. */
  function makeRoom(): void {
    if (clients.size < limits.clientsPerSession) return;
    const away = [...clients].find(([, { attachment, commands }]) => !attachment && !commands.isBusy);
    if (!away) {
      throw remoteError(
        "PAGEWIRE_TOO_MANY_SESSIONS",
        `${clients.size} clients share this session already (limit clientsPerSession). Close one of them.`,
      );
    }
    forget(away[1]);
  }

  function forget(gone: ShellClient): void {
    gone.stopExpiry?.();
    for (const [id, each] of clients) if (each === gone) clients.delete(id);
  }

  const context: ShellContext = {
    core,
    full,
    plain,
    values,
    limits,
    bounds,
    logger,
    clock,
    maxSyncUpdateBuffer,
    session: place.session,
    call: place.call ?? createCoreCaller({ core, canAbort: full.commands.has("abort"), logger }),
    client,
  };

  function detach(attachment: Attachment): void {
    if (!attachments.delete(attachment)) return;
    attachment.close();
    const { client: left } = attachment;
    if (!left.attachment) {
      if (left.canReturn) left.stopExpiry = clock.after(place.keepFor ?? 0, () => forget(left));
      else forget(left);
    }
    place.detached?.();
  }

  return {
    attach(transport) {
      const attachment = createAttachment({ context, transport, ended: detach });
      attachments.add(attachment);
      return attachment;
    },
    detach,
    get attached() {
      return attachments.size;
    },
    knows: (id) => (id === undefined ? clients.size > 0 : clients.has(id)),
    close() {
      values.close();
      for (const attachment of [...attachments]) attachment.end(1001, "The session is closed.");
      for (const each of [...clients.values()]) forget(each);
    },
  };
}

interface CoreCallerOptions {
  readonly core: EventTarget;
  /** Whether the core declares `abort`: a cancelled command calls it. */
  readonly canAbort: boolean;
  readonly logger: BindableLogger;
}

/** Runs commands by calling the core's methods. */
function createCoreCaller({ core, canAbort, logger }: CoreCallerOptions): (call: ShellCall) => unknown {
  function call(name: string, args: readonly unknown[]): unknown {
    const method = (core as unknown as Readonly<Record<string, unknown>>)[name];
    if (typeof method !== "function") throw new TypeError(`The core has no method "${name}".`);
    return method.apply(core, args);
  }

  async function abort(): Promise<void> {
    try {
      await call("abort", []);
    } catch (error) {
      logger.warn(`The core's abort failed: ${toWireError(error).message}`);
    }
  }

  return ({ name, args, signal }) => {
    if (canAbort && name !== "abort") signal.addEventListener("abort", () => void abort());
    return call(name, args);
  };
}
