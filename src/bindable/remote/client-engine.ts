// A client's side of the protocol, over one transport after another. It knows nothing of sockets; its options decide
// whether it waits for another transport when one is lost.
import { systemClock } from "../../link/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { Json } from "../../wire/index.ts";
import { abortedError, createClientCalls, newId, readOutcome } from "./client-calls.ts";
import type { AckOptions, Call, CallMessage, ClientCalls, RemoteCoreProxyOptions } from "./client-calls.ts";
import { createClientConnection } from "./client-connection.ts";
import type { ClientConnection } from "./client-connection.ts";
import { copyJson } from "./copy-json.ts";
import type { BindableLogger, ClientAnnouncement, ClientTransport, ServerMessage } from "./messages.ts";
import { differencesOf, requireDeclared } from "./names.ts";
import type { DeclaredNames } from "./names.ts";
import { lostError, remoteError, reviveError } from "./remote-error.ts";
import { createRemoteValues } from "./remote-values.ts";
import type { RemoteValues } from "./remote-values.ts";

/** The source of an engine's transports. */
export interface EngineOwner {
  /** Whether calls survive the loss of a transport and continue on the next. */
  readonly resumes: boolean;
  session?: string | undefined;
  synced?(): void;
  /** The transport is of no use any more. `isFinal`: another one would not be either. */
  lost?(error: Error, isFinal: boolean): void;
}

export interface EngineOptions extends RemoteCoreProxyOptions {
  readonly names: DeclaredNames;
  readonly changed: (name: string, value: Json | undefined) => void;
  readonly owner: EngineOwner;
}

type Received<Type extends string> = Extract<ServerMessage, { readonly type: Type }>;

/** Calls are checked before anything is sent. */
export class ClientEngine {
  readonly values: RemoteValues;
  readonly #options: EngineOptions;
  readonly #owner: EngineOwner;
  readonly #logger: BindableLogger;
  readonly #announcement: ClientAnnouncement;
  readonly #calls: ClientCalls;
  readonly #connection: ClientConnection;
  /** The transport over which the first answer came. */
  #syncedOn: ClientTransport | undefined;
  #setAck = false;
  #ended: Error | undefined;

  constructor(options: EngineOptions) {
    const { names, changed, owner, logger = console, clock = systemClock, heartbeat = 15_000 } = options;
    this.#options = options;
    this.#owner = owner;
    this.#logger = logger;
    this.#announcement = { client: newId(), ...(heartbeat > 0 && { heartbeat }) };
    this.values = createRemoteValues({ names: names.properties, changed, warn: (message) => logger.warn(message) });
    this.#calls = createClientCalls({ clock, givenUp: (call) => this.#cancel(call) });
    this.#connection = createClientConnection({
      clock,
      heartbeat,
      received: (message) => this.#receive(message),
      lost: (error, isFinal) => {
        if (isFinal || !owner.resumes) this.#calls.fail(error);
        owner.lost?.(error, isFinal);
      },
    });
  }

  attach(next: ClientTransport): void {
    this.#connection.attach(next);
    const pending = [...this.#calls].filter(({ sentOn }) => sentOn).map(({ id }) => id);
    const { session } = this.#owner;
    const resumed = session !== undefined && { session, ...this.values.held(), pending };
    this.#connection.send({ type: "sync", pagewire: { ...this.#announcement, ...resumed } });
  }

  /** The same after a transport was lost; throws while there is one. */
  reattach(next: ClientTransport): void {
    if (this.#ended) throw this.#ended;
    if (this.#connection.transport || this.#owner.resumes)
      throw new TypeError("The connection is not lost. Reconnect when it is.");
    this.attach(next);
  }

  /** Releases the transport as if it were lost; false where there is none. */
  drop(error: Error): boolean {
    return this.#connection.lose(error);
  }

  /** Ends all calls, and every later one, with this error. */
  dispose(error: Error = remoteError("WC_BINDABLE_DISPOSED", "The proxy was disposed.")): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#connection.release();
    this.#calls.fail(error);
    this.#owner.lost?.(error, true);
  }

  set(name: string, value: unknown): void {
    this.#check();
    requireDeclared(this.#options.names, "inputs", name);
    const call = this.#calls.add({ type: "set", name, ...given(value) }, (outcome) => {
      if ("error" in outcome) this.#logger.warn(`The input "${name}" was not set: ${messageOf(outcome.error)}`);
    });
    this.#start(call);
    const problem = this.#obstacle();
    if (problem) throw problem;
  }

  async setWithAck(name: string, value: unknown, options: AckOptions = {}): Promise<void> {
    requireDeclared(this.#options.names, "inputs", name);
    await this.#ask({ type: "set", name, ...given(value), id: "" }, options);
  }

  async invoke(name: string, args: readonly unknown[], options?: AckOptions): Promise<unknown> {
    requireDeclared(this.#options.names, "commands", name);
    return this.command(name, args, options);
  }

  /** Invokes a command, which may be the connection's instead of the core's. */
  async command(name: string, args: readonly unknown[], options: AckOptions = {}): Promise<unknown> {
    // Trailing undefined arguments are left out: JSON could only send null.
    const sent = copyJson(args.slice(0, args.findLastIndex((item) => item !== undefined) + 1)) as Json[];
    return this.#ask({ type: "cmd", name, id: "", args: sent }, options);
  }

  async #ask(
    message: CallMessage,
    { timeoutMs = this.#options.timeoutMs ?? 30_000, signal }: AckOptions,
  ): Promise<unknown> {
    this.#check();
    if (typeof timeoutMs !== "number" || !(timeoutMs >= 0 && timeoutMs < Infinity)) {
      const text = `timeoutMs must be zero or more, not ${String(timeoutMs)}.`;
      throw remoteError("WC_BINDABLE_INVALID_ACK_OPTIONS", text, { name: "RangeError" });
    }
    if (signal?.aborted) throw abortedError(signal);
    const { call, answer } = this.#calls.ask(message, { timeoutMs, ...(signal && { signal }) });
    this.#start(call);
    return answer;
  }

  /** Throws if no call can be added now. */
  #check(): void {
    const problem = this.#obstacle();
    if (problem) throw problem;
    const { maxPendingInvocations = 1024, maxPreSyncQueue = 1024 } = this.#options;
    if (this.#isSynced()) {
      const { size } = this.#calls;
      if (size < maxPendingInvocations) return;
      throw remoteError("PAGEWIRE_TOO_MANY_CALLS", `${size} calls are unanswered (limit maxPendingInvocations).`);
    }
    const { waiting } = this.#calls;
    if (waiting < maxPreSyncQueue) return;
    const text = `${waiting} calls wait already (limit maxPreSyncQueue).`;
    throw remoteError("WC_BINDABLE_PRE_SYNC_QUEUE_FULL", text);
  }

  /** Why no call can be made at all. */
  #obstacle(): Error | undefined {
    if (this.#ended || this.#connection.transport || this.#owner.resumes) return this.#ended;
    return lostError("The connection is lost. Reconnect it.");
  }

  #isSynced(): boolean {
    return this.#syncedOn !== undefined && this.#syncedOn === this.#connection.transport;
  }

  #receive(given: ServerMessage): void {
    if (Array.isArray(given)) return this.#orLose(() => this.values.growth(given as never));
    const message = Object(given) as Exclude<ServerMessage, readonly unknown[]>;
    switch (message.type) {
      case "sync":
        return this.#orLose(() => this.#sync(message), true);
      case "update":
        return this.#orLose(() => this.values.update(message));
      case "return":
      case "throw":
        return this.#settle(message);
      case "refused":
        return void this.#connection.lose(reviveError(message.error) ?? lostError("The server refused."), true);
      case "pong":
        return;
      default:
        this.#logger.warn("A message of an unknown type was dropped.");
    }
  }

  #orLose(read: () => void, isFinal = false): void {
    try {
      read();
    } catch (error) {
      const text = `The server sent what cannot be read: ${messageOf(error)}.`;
      this.#logger.error(text);
      this.#connection.lose(remoteError("WC_BINDABLE_PROTOCOL_ERROR", text), isFinal);
    }
  }

  #sync(message: Received<"sync">): void {
    if (this.#isSynced()) return this.#logger.warn("A second answer to one sync was dropped.");
    const { values } = this;
    const differences = differencesOf(this.#options.names, message.declarationFingerprint);
    if (differences.length > 0) this.#logger.warn(`The server's declaration has other ${differences.join(", ")}.`);
    values.sync(message);
    const { transport } = this.#connection;
    if (!transport) return;
    const { server } = values;
    this.#setAck = message.capabilities?.setAck === true;
    this.#owner.session = server?.session;
    if (!server?.resumed) {
      const error = lostError("The connection was lost while the call ran; what became of it is not known.");
      this.#calls.fail(error, ({ sentOn }) => sentOn !== undefined && sentOn !== transport);
    }
    this.#syncedOn = transport;
    if (server) this.#connection.watch();
    this.#owner.synced?.();
    for (const call of [...this.#calls]) if (call.sentOn !== this.#connection.transport) this.#deliver(call);
  }

  /** Sends a new call, unless it has to wait. */
  #start(call: Call): void {
    const { type } = call.message;
    const isEager = this.#options.preSyncBehavior === "eager" && (type === "cmd" || !("id" in call.message));
    if (this.#isSynced() || isEager) this.#deliver(call);
  }

  /** Sends a call that waits, or sends it again on another transport. */
  #deliver(call: Call): void {
    const { message, id } = call;
    const { transport } = this.#connection;
    if (!transport) return;
    const isAsked = message.type !== "cancel" && "id" in message;
    if (message.type === "set" && isAsked && this.#isSynced() && !this.#setAck) {
      const text = "The server does not acknowledge assignments. Use set instead.";
      return call.settle({ error: remoteError("WC_BINDABLE_SET_ACK_UNSUPPORTED", text) });
    }
    // A server that can resume recognizes a repeated call, so assignments are repeated after a cut as well.
    const isAnswered = isAsked || (message.type === "set" && this.#owner.resumes && this.values.server !== undefined);
    call.sentOn = transport;
    if (!isAnswered) this.#calls.remove(call);
    this.#connection.send(isAnswered ? { ...message, id } : message);
  }

  #cancel({ id, sentOn, message }: Call): void {
    if (sentOn && message.type === "cmd" && this.values.server) this.#start(this.#calls.add({ type: "cancel", id }));
  }

  #settle(message: Received<"return" | "throw">): void {
    const { id } = message;
    // A server whose sessions can be resumed stores the reply until it is acknowledged.
    if (this.values.server?.session !== undefined) this.#connection.send({ type: "got", ids: [id] });
    const call = this.#calls.get(id);
    if (!call) return this.#logger.warn("An answer to a call that nobody waits for was dropped.");
    call.settle(readOutcome(message));
  }
}

/** The field of a value: left out where JSON has none. */
function given(value: unknown): { readonly value?: Json } {
  const copied = copyJson(value);
  return copied === undefined ? {} : { value: copied };
}
