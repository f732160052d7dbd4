// Cores that outlive their sockets. A session belongs to the principal that opened it.
import { systemClock } from "../../link/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { BindableLogger, ClientAnnouncement, ClientMessage, ServerTransport } from "./messages.ts";
import { parseClientMessage } from "./parse-client-message.ts";
import { remoteError, toWireError } from "./remote-error.ts";
import { createShell } from "./shell.ts";
import type { Shell, ShellOptions } from "./shell.ts";
import type { Attachment } from "./shell-attachment.ts";
import { resolveShellLimits } from "./shell-context.ts";
import type { ShellCall, ShellLimits } from "./shell-context.ts";

const DEFAULT_KEEP = 120_000;

/** A core, and its unguessable session name. */
export interface OpenedCore {
  readonly id: string;
  readonly core: EventTarget;
  /** Called once, when the session can no longer be resumed. */
  close(): void;
}

export interface SessionCall extends ShellCall {
  readonly session: string;
  readonly principal: string;
}

export interface ShellSessionsOptions extends ShellOptions {
  /**
   * Opens the session of that name, or a new one; rejects if the principal may not have it, and with a `PagewireError`
   * that has `retryAfter` if it may try again later.
   */
  open(session: string | undefined, principal: string): Promise<OpenedCore>;
  /** Milliseconds that a session without clients is kept. 120 000 when left out. */
  readonly keepFor?: number;
  /** Runs a command. Left out, the core's method is called; a cancelled one calls the core's `abort`, if it declares one. */
  readonly call?: (core: EventTarget, call: SessionCall) => unknown;
}

export interface ShellSessions {
  /** Serves a client; its first message names the session. */
  attach(transport: ServerTransport, principal: string): void;
  /** How many sessions there are. */
  readonly size: number;
  /** Closes a session, if there is one of this name, and its transports: its clients come back. */
  end(session: string): void;
  /** Closes all sessions and their transports. Can be called twice. */
  close(): void;
}

interface Session {
  readonly id: string;
  readonly principal: string;
  readonly shell: Shell;
  close(): void;
  /** Cancels the expiry timer; undefined while a client is connected. */
  stopExpiry: (() => void) | undefined;
}

interface Opening {
  readonly wanted: string | undefined;
  readonly principal: string;
  readonly session: Promise<Session>;
}

export function createShellSessions(options: ShellSessionsOptions): ShellSessions {
  const sessions = new SessionTable(options);
  return {
    attach: (transport, principal) => void new Arrival(sessions, transport, principal),
    get size() {
      return sessions.size;
    },
    end: (session) => sessions.end(session),
    close: () => sessions.close(),
  };
}

class SessionTable {
  readonly limits: ShellLimits;
  readonly logger: BindableLogger;
  readonly #options: ShellSessionsOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #opening = new Set<Opening>();
  #isClosed = false;

  constructor(options: ShellSessionsOptions) {
    this.#options = options;
    this.limits = resolveShellLimits(options.limits);
    this.logger = options.logger ?? console;
  }

  get size(): number {
    return this.#sessions.size;
  }

  async find(announced: Partial<ClientAnnouncement>, principal: string): Promise<Session> {
    const { session: wanted, client = "" } = announced;
    const known = wanted === undefined ? this.#withClient(client, principal) : this.#sessions.get(wanted);
    if (known && known.principal !== principal) {
      throw remoteError("PAGEWIRE_SESSION_UNKNOWN", "There is no such session. Start a new one.");
    }
    if (known) return known;
    const running = [...this.#opening].find(
      (each) => wanted !== undefined && each.wanted === wanted && each.principal === principal,
    );
    if (running) return running.session;
    const started = { wanted, principal, session: this.#open(wanted, principal) };
    this.#opening.add(started);
    try {
      return await started.session;
    } finally {
      this.#opening.delete(started);
    }
  }

  attach(session: Session, transport: ServerTransport): Attachment {
    if (!this.#sessions.has(session.id)) {
      throw remoteError("PAGEWIRE_SESSION_CLOSING", "The session was closed. Try again.");
    }
    session.stopExpiry?.();
    session.stopExpiry = undefined;
    return session.shell.attach(transport);
  }

  /** Expires a session without clients; at once if no client has its name. */
  expire(session: Session): void {
    const { clock = systemClock, keepFor = DEFAULT_KEEP } = this.#options;
    if (!this.#sessions.has(session.id) || session.shell.attached > 0) return;
    session.stopExpiry?.();
    session.stopExpiry = clock.after(session.shell.knows() ? keepFor : 0, session.close);
  }

  end(id: string): void {
    this.#sessions.get(id)?.close();
  }

  close(): void {
    this.#isClosed = true;
    for (const session of [...this.#sessions.values()]) session.close();
  }

  /** The session of a client that did not learn its name: the answer was lost. */
  #withClient(client: string, principal: string): Session | undefined {
    return [...this.#sessions.values()].find((each) => each.principal === principal && each.shell.knows(client));
  }

  async #open(wanted: string | undefined, principal: string): Promise<Session> {
    this.#evictFor(principal);
    const opened = await this.#options.open(wanted, principal);
    let problem: unknown = remoteError("PAGEWIRE_SESSION_CLOSING", "The session cannot be opened here now. Try again.");
    try {
      if (!this.#isClosed && !this.#sessions.has(opened.id)) return this.#add(opened, principal);
    } catch (error) {
      problem = error;
    }
    opened.close();
    throw problem;
  }

  /** Closes an idle session of a principal that has too many; throws if none is idle. */
  #evictFor(principal: string): void {
    const own = [...this.#sessions.values()].filter((session) => session.principal === principal);
    const count = own.length + [...this.#opening].filter((each) => each.principal === principal).length;
    if (count < this.limits.sessionsPerPrincipal) return;
    const idle = own.find(({ stopExpiry }) => stopExpiry);
    if (!idle) {
      throw remoteError(
        "PAGEWIRE_TOO_MANY_SESSIONS",
        `${count} sessions are open already (limit sessionsPerPrincipal). Close one of them.`,
      );
    }
    idle.close();
  }

  #add(opened: OpenedCore, principal: string): Session {
    const { id, core } = opened;
    const { call, keepFor = DEFAULT_KEEP } = this.#options;
    const session: Session = {
      id,
      principal,
      stopExpiry: undefined,
      shell: createShell(core, this.#options, {
        session: id,
        keepFor,
        call: call && ((request) => call(core, { ...request, session: id, principal })),
        detached: () => this.expire(session),
      }),
      close: () => {
        if (!this.#sessions.delete(id)) return;
        session.stopExpiry?.();
        session.shell.close();
        try {
          opened.close();
        } catch (error) {
          this.logger.error(`A core could not be closed: ${toWireError(error).message}`);
        }
      },
    };
    this.#sessions.set(id, session);
    return session;
  }
}

/** A client from its first message on; what it sends before its session is open waits. */
class Arrival {
  readonly #sessions: SessionTable;
  readonly #transport: ServerTransport;
  readonly #principal: string;
  readonly #early: ClientMessage[] = [];
  #joined: { readonly session: Session; readonly attachment: Attachment } | undefined;
  #isOver = false;

  constructor(sessions: SessionTable, transport: ServerTransport, principal: string) {
    this.#sessions = sessions;
    this.#transport = transport;
    this.#principal = principal;
    transport.onMessage((message) => this.#receive(message));
    transport.onClose?.(() => {
      this.#end();
      this.#joined?.session.shell.detach(this.#joined.attachment);
    });
  }

  #receive(message: ClientMessage): void {
    if (this.#joined) return this.#joined.attachment.receive(message);
    if (this.#isOver) return;
    if (this.#early.push(message) === 1) void this.#join(message);
    if (this.#early.length <= this.#sessions.limits.earlyMessages) return;
    const text = "Too much came before the session was open (limit earlyMessages).";
    this.#refuse(remoteError("PAGEWIRE_TOO_MANY_CALLS", text), false);
  }

  async #join(first: ClientMessage): Promise<void> {
    const parsed = parseClientMessage(first);
    const announced = parsed.type === "sync" ? parsed.pagewire : undefined;
    try {
      const session = await this.#sessions.find(announced ?? {}, this.#principal);
      if (this.#isOver) return this.#sessions.expire(session);
      const attachment = this.#sessions.attach(session, this.#transport);
      this.#joined = { session, attachment };
      for (const message of this.#early.splice(0)) attachment.receive(message);
    } catch (error) {
      this.#refuse(error, announced !== undefined);
    }
  }

  #refuse(error: unknown, isOurs: boolean): void {
    this.#end();
    const { logger } = this.#sessions;
    const reported = toWireError(error);
    const isTemporary = reported.code === "PAGEWIRE_SESSION_CLOSING" || isRetryable(error);
    logger.warn(`A client was refused: ${reported.message}`);
    try {
      if (isOurs && !isTemporary) this.#transport.send({ type: "refused", error: reported });
      this.#transport.close?.(isTemporary ? 1013 : 1008, reported.message);
      this.#transport.dispose?.();
    } catch (failure) {
      logger.warn(`A refusal could not be sent: ${toWireError(failure).message}`);
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#early.length = 0;
  }
}

/** Whether a later attempt may succeed: the client reconnects by itself. */
function isRetryable(error: unknown): boolean {
  return PagewireError.isInstance(error) && error.retryAfter !== undefined;
}
