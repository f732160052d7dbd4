// Cores that outlive their sockets. A session belongs to the principal that opened it.
import { systemClock } from "../../link/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { ClientAnnouncement, ClientMessage, ServerTransport } from "./messages.ts";
import { parseClientMessage } from "./parse-client-message.ts";
import { remoteError, toWireError } from "./remote-error.ts";
import { createShell } from "./shell.ts";
import type { Shell, ShellOptions } from "./shell.ts";
import type { Attachment } from "./shell-attachment.ts";
import type { ShellCall } from "./shell-context.ts";
import { resolveShellLimits } from "./shell-limits.ts";

/** A core, and its unguessable session name. */
export interface OpenedCore {
  readonly id: string;
  readonly core: EventTarget;
  /** Called once, when the session can no longer be resumed. */
  close(): void;
}

/** A command of a session. */
export interface SessionCall extends ShellCall {
  readonly session: string;
  readonly principal: string;
}

export interface ShellSessionsOptions extends ShellOptions {
  /**
   * Opens the session of that name, or a new one; rejects where the principal may not have it, and with a `PagewireError`
   * that has `retryAfter` where it cannot have it now.
   */
  open(session: string | undefined, principal: string): Promise<OpenedCore>;
  /** Milliseconds that a session is kept which no client is connected to. 120 000 when left out. */
  readonly keepFor?: number;
  /** Runs a command. Left out, the core's method is called; one that is given up calls the core's `abort`, where it declares one. */
  readonly call?: (core: EventTarget, call: SessionCall) => unknown;
}

export interface ShellSessions {
  /** Serves a client; its first message names the session. */
  attach(transport: ServerTransport, principal: string): void;
  /** How many sessions there are. */
  readonly size: number;
  /** Closes all sessions and their transports. Can be called twice. */
  close(): void;
}

interface Session {
  readonly id: string;
  readonly principal: string;
  readonly shell: Shell;
  close(): void;
  /** Cancels the expiry timer; undefined while a client is connected. */
  stopEnd: (() => void) | undefined;
}

/** Whether another try makes sense: the client comes back by itself. */
function isForNow(error: unknown): boolean {
  return PagewireError.isInstance(error) && error.retryAfter !== undefined;
}

export function createShellSessions(options: ShellSessionsOptions): ShellSessions {
  const { keepFor = 120_000, clock = systemClock, logger = console } = options;
  const limits = resolveShellLimits(options.limits);
  const sessions = new Map<string, Session>();
  const opening: {
    readonly wanted: string | undefined;
    readonly principal: string;
    readonly session: Promise<Session>;
  }[] = [];
  let isClosed = false;

  function make(opened: OpenedCore, principal: string): Session {
    const { id, core } = opened;
    const { call } = options;
    const session: Session = {
      id,
      principal,
      stopEnd: undefined,
      shell: createShell(core, options, {
        session: id,
        keepFor,
        call: call && ((asked) => call(core, { ...asked, session: id, principal })),
        detached: () => left(session),
      }),
      close() {
        if (!sessions.delete(id)) return;
        session.stopEnd?.();
        session.shell.close();
        try {
          opened.close();
        } catch (error) {
          logger.error(`A core could not be closed: ${toWireError(error).message}`);
        }
      },
    };
    sessions.set(id, session);
    return session;
  }

  /** Expires an abandoned session; at once where no client has its name. */
  function left(session: Session): void {
    if (!sessions.has(session.id) || session.shell.attached > 0) return;
    session.stopEnd?.();
    session.stopEnd = clock.after(session.shell.knows() ? keepFor : 0, session.close);
  }

  /** The session that a client may have been given without learning its name: the answer was lost. */
  function nameless(client: string, principal: string): Session | undefined {
    return [...sessions.values()].find((each) => each.principal === principal && each.shell.knows(client));
  }

  async function find(
    { session: wanted, client = "" }: Partial<ClientAnnouncement>,
    principal: string,
  ): Promise<Session> {
    const known = wanted === undefined ? nameless(client, principal) : sessions.get(wanted);
    if (known && known.principal !== principal) {
      throw remoteError("PAGEWIRE_SESSION_UNKNOWN", "There is no such session. Start a new one.");
    }
    if (known) return known;
    const running = opening.find(
      (each) => wanted !== undefined && each.wanted === wanted && each.principal === principal,
    );
    if (running) return running.session;
    const started = { wanted, principal, session: openNew(wanted, principal) };
    opening.push(started);
    try {
      return await started.session;
    } finally {
      opening.splice(opening.indexOf(started), 1);
    }
  }

  async function openNew(wanted: string | undefined, principal: string): Promise<Session> {
    const own = [...sessions.values()].filter((session) => session.principal === principal);
    const coming = opening.filter((each) => each.principal === principal).length;
    if (own.length + coming >= limits.sessionsPerPrincipal) {
      const idle = own.find(({ stopEnd }) => stopEnd);
      if (!idle) {
        throw remoteError(
          "PAGEWIRE_TOO_MANY_SESSIONS",
          `${own.length + coming} sessions are open already (limit sessionsPerPrincipal). Close one of them.`,
        );
      }
      idle.close();
    }
    const opened = await options.open(wanted, principal);
    let problem: unknown = remoteError("PAGEWIRE_SESSION_CLOSING", "The session cannot be opened here now. Try again.");
    try {
      if (!isClosed && !sessions.has(opened.id)) return make(opened, principal);
    } catch (error) {
      problem = error;
    }
    opened.close();
    throw problem;
  }

  function attach(transport: ServerTransport, principal: string): void {
    const early: ClientMessage[] = [];
    let joined: { readonly session: Session; readonly attachment: Attachment } | undefined;
    let isGone = false;

    async function join(first: ClientMessage): Promise<void> {
      const parsed = parseClientMessage(first);
      const announced = parsed.type === "sync" ? parsed.pagewire : undefined;
      try {
        const session = await find(announced ?? {}, principal);
        if (isGone) return left(session);
        if (!sessions.has(session.id))
          throw remoteError("PAGEWIRE_SESSION_CLOSING", "The session was closed. Try again.");
        session.stopEnd?.();
        session.stopEnd = undefined;
        const attachment = session.shell.attach(transport);
        joined = { session, attachment };
        for (const message of early.splice(0)) attachment.receive(message);
      } catch (error) {
        refuse(error, announced !== undefined);
      }
    }

    function refuse(error: unknown, isOurs: boolean): void {
      isGone = true;
      early.length = 0;
      const told = toWireError(error);
      const isPassing = told.code === "PAGEWIRE_SESSION_CLOSING" || isForNow(error);
      logger.warn(`A client was refused: ${told.message}`);
      try {
        if (isOurs && !isPassing) transport.send({ type: "refused", error: told });
        transport.close?.(isPassing ? 1013 : 1008, told.message);
        transport.dispose?.();
      } catch (failure) {
        logger.warn(`A refusal could not be sent: ${toWireError(failure).message}`);
      }
    }

    transport.onMessage((message) => {
      if (joined) return joined.attachment.receive(message);
      if (isGone) return;
      if (early.push(message) === 1) void join(message);
      if (early.length > limits.earlyMessages) {
        refuse(
          remoteError("PAGEWIRE_TOO_MANY_CALLS", "Too much came before the session was open (limit earlyMessages)."),
          false,
        );
      }
    });
    transport.onClose?.(() => {
      isGone = true;
      early.length = 0;
      joined?.session.shell.detach(joined.attachment);
    });
  }

  return {
    attach,
    get size() {
      return sessions.size;
    },
    close() {
      isClosed = true;
      for (const session of [...sessions.values()]) session.close();
    },
  };
}
