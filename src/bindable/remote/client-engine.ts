// A client's side of the protocol, over one transport after another. It knows nothing of sockets; its options decide
// whether it waits for another transport when one is lost.
import { systemClock } from "../../link/index.ts";
import { createClientConnection } from "./client-connection.ts";
import { messageOf } from "../../wire/index.ts";
import type { Json } from "../../wire/index.ts";
import { createClientCalls, newId } from "./client-calls.ts";
import type { Call, Outcome } from "./client-calls.ts";
import { createClientRequests } from "./client-requests.ts";
import type { ClientRequests } from "./client-requests.ts";
import type { ClientTransport, ServerMessage } from "./messages.ts";
import { differencesOf } from "./names.ts";
import type { DeclaredNames } from "./names.ts";
import type { RemoteCoreProxyOptions } from "./remote-core-proxy-options.ts";
import { lostError, remoteError, reviveError } from "./remote-error.ts";
import { createRemoteValues } from "./remote-values.ts";
import type { RemoteValues } from "./remote-values.ts";
import { copyJson } from "./copy-json.ts";

/** The source of an engine's transports. */
export interface EngineOwner {
  /** Whether calls wait for another transport when one is lost, and go on there. */
  readonly resumes: boolean;
  /** The session to go on with. */
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

export interface ClientEngine extends ClientRequests {
  readonly values: RemoteValues;
  attach(transport: ClientTransport): void;
  /** The same after a transport was lost; throws while there is one. */
  reattach(transport: ClientTransport): void;
  /** Lets go of the transport as if it were lost; false where there is none. */
  drop(error: Error): boolean;
  /** Ends all calls, and every later one, with this error. */
  dispose(error?: Error): void;
}

export function createClientEngine(options: EngineOptions): ClientEngine {
  const { names, changed, owner, logger = console, clock = systemClock, heartbeat = 15_000 } = options;
  const client = newId();
  const warn = (message: string) => logger.warn(message);
  const values = createRemoteValues({ names: names.properties, changed, warn });
  const calls = createClientCalls({ clock, givenUp });
  const connection = createClientConnection({
    clock,
    heartbeat,
    received: receive,
    lost(error, isFinal) {
      if (isFinal || !owner.resumes) calls.fail(error);
      owner.lost?.(error, isFinal);
    },
  });
  const { send, lose } = connection;
  /** The transport over which the first answer came. */
  let syncedOn: ClientTransport | undefined;
  let setAck = false;
  let ended: Error | undefined;

  function isSynced(): boolean {
    return syncedOn !== undefined && syncedOn === connection.transport;
  }

  function attach(next: ClientTransport): void {
    connection.attach(next);
    const pending = [...calls].filter(({ sentOn }) => sentOn).map(({ id }) => id);
    const { session } = owner;
    const back = session !== undefined && { session, ...values.held(), pending };
    send({ type: "sync", pagewire: { client, ...(heartbeat > 0 && { heartbeat }), ...back } });
  }

  function receive(given: ServerMessage): void {
    if (Array.isArray(given)) return orLost(() => values.growth(given as never));
    const message = Object(given) as Exclude<ServerMessage, readonly unknown[]>;
    switch (message.type) {
      case "sync":
        return orLost(() => sync(message), true);
      case "update":
        return orLost(() => values.update(message));
      case "return":
      case "throw":
        return answered(message);
      case "refused":
        return void lose(reviveError(message.error) ?? lostError("The server refused."), true);
      case "pong":
        return;
      default:
        warn("A message of an unknown type was dropped.");
    }
  }

  function orLost(read: () => void, isFinal = false): void {
    try {
      read();
    } catch (error) {
      const text = `The server sent what cannot be read: ${messageOf(error)}.`;
      logger.error(text);
      lose(remoteError("WC_BINDABLE_PROTOCOL_ERROR", text), isFinal);
    }
  }

  function sync(message: Extract<ServerMessage, { type: "sync" }>): void {
    if (isSynced()) return warn("A second answer to one sync was dropped.");
    const differences = differencesOf(names, message.declarationFingerprint);
    if (differences.length > 0) warn(`The server's declaration has other ${differences.join(", ")}.`);
    values.sync(message);
    const { transport } = connection;
    if (!transport) return;
    const { server } = values;
    setAck = message.capabilities?.setAck === true;
    owner.session = server?.session;
    if (!server?.resumed) {
      const error = lostError("The connection was lost while the call ran; what became of it is not known.");
      calls.fail(error, ({ sentOn }) => sentOn !== undefined && sentOn !== transport);
    }
    syncedOn = transport;
    if (server) connection.watch();
    owner.synced?.();
    for (const call of [...calls]) if (call.sentOn !== connection.transport) deliver(call);
  }

  /** Sends a call that waits, or sends it again on another transport. */
  function deliver(call: Call): void {
    const { message, id } = call;
    const { transport } = connection;
    if (!transport) return;
    const isAsked = message.type !== "cancel" && "id" in message;
    if (message.type === "set" && isAsked && isSynced() && !setAck) {
      const text = "The server does not acknowledge assignments. Use set instead.";
      return call.settle({ error: remoteError("WC_BINDABLE_SET_ACK_UNSUPPORTED", text) });
    }
    // With a server that knows the call again after a cut, none is lost.
    const isAnswered = isAsked || (message.type === "set" && owner.resumes && values.server !== undefined);
    call.sentOn = transport;
    if (!isAnswered) calls.remove(call);
    send(isAnswered ? { ...message, id } : message);
  }

  /** Sends a new call, unless it has to wait. */
  function start(call: Call): void {
    const { type } = call.message;
    const isEager = options.preSyncBehavior === "eager" && (type === "cmd" || !("id" in call.message));
    if (isSynced() || isEager) deliver(call);
  }

  function givenUp({ id, sentOn, message }: Call): void {
    if (sentOn && message.type === "cmd" && values.server) start(calls.add({ type: "cancel", id }));
  }

  function answered(message: Extract<ServerMessage, { type: "return" | "throw" }>): void {
    const { id } = message;
    // Where clients can resume, the server keeps a reply until it is acknowledged.
    if (values.server?.session !== undefined) send({ type: "got", ids: [id] });
    const call = calls.get(id);
    if (!call) return warn("An answer to a call that nobody waits for was dropped.");
    call.settle(readAnswer(message));
  }

  function obstacle(): Error | undefined {
    return (
      ended ?? (connection.transport || owner.resumes ? undefined : lostError("The connection is lost. Reconnect it."))
    );
  }

  return {
    ...createClientRequests({ names, calls, options, obstacle, isSynced, start }),
    values,
    attach,
    reattach(next) {
      if (ended) throw ended;
      if (connection.transport || owner.resumes)
        throw new TypeError("The connection is not lost. Reconnect when it is.");
      attach(next);
    },
    drop: (error) => lose(error),
    dispose(error = remoteError("WC_BINDABLE_DISPOSED", "The proxy was disposed.")) {
      if (ended) return;
      ended = error;
      connection.release();
      calls.fail(error);
      owner.lost?.(error, true);
    },
  };
}

/** A call's outcome from the server's reply; a malformed reply is an error. */
function readAnswer(answer: Extract<ServerMessage, { type: "return" | "throw" }>): Outcome {
  try {
    if (answer.type === "return") return Object.hasOwn(answer, "value") ? { value: copyJson(answer.value) } : {};
    // The thrown value may be no Error, such as a response's status.
    return { error: reviveError(answer.error) ?? copyJson(answer.error) };
  } catch (error) {
    const text = `The answer to a call cannot be read: ${messageOf(error)}.`;
    return { error: remoteError("WC_BINDABLE_PROTOCOL_ERROR", text) };
  }
}
