// The messages of wc-bindable's remote protocol, to the letter, and the fields and messages that Pagewire adds to them.
// Extensions are used only where both sides announced them in their `sync`.
import type { Json, JsonObject } from "../../wire/index.ts";

/** The extensions in our client's `sync`. */
export interface ClientAnnouncement {
  /** Names this proxy across its sockets. */
  readonly client: string;
  /** The session that it wants to resume. */
  readonly session?: string;
  /** Of each property the change that it holds, and how long the texts are. */
  readonly seen?: Readonly<Record<string, number>>;
  readonly lengths?: Readonly<Record<string, number>>;
  /** The calls that it still waits for: other outcomes need not be kept. */
  readonly pending?: readonly string[];
  /** It gives a sign of life at least this often, in milliseconds. */
  readonly heartbeat?: number;
}

/** The extensions in our server's reply. */
export interface ServerAnnouncement {
  /** For a core that outlives its socket: the session name for resuming. */
  readonly session?: string;
  /** Whether updates continue from what the client has; otherwise `values` is everything. */
  readonly resumed: boolean;
  /** The last change in `values`; the next growth without a number is the one after it. */
  readonly seq: number;
  /** The properties by the numbers that growths name them by. */
  readonly names: readonly string[];
}

export interface Capabilities {
  readonly setAck?: boolean;
  readonly undefinedProperties?: boolean;
  readonly getterFailures?: boolean;
  readonly pagewire?: ServerAnnouncement;
}

export interface Fingerprint {
  readonly protocol?: string;
  readonly version: number;
  readonly properties: readonly string[];
  readonly inputs: readonly string[];
  readonly commands: readonly string[];
}

export interface WireError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly cause?: Json;
}

export type ClientMessage =
  | { readonly type: "sync"; readonly pagewire?: ClientAnnouncement }
  | { readonly type: "set"; readonly name: string; readonly value?: Json; readonly id?: string }
  | { readonly type: "cmd"; readonly name: string; readonly id: string; readonly args: readonly Json[] }
  /** Stop this command. */
  | { readonly type: "cancel"; readonly id: string }
  /** These outcomes arrived and need not be kept. */
  | { readonly type: "got"; readonly ids: readonly string[] }
  | { readonly type: "ping" };

/** A text or list that grew at its end: the property's number, what was added, its change when it is not the next one, and the place within the property. */
export type Growth = readonly [
  property: number,
  added: string | readonly Json[],
  seq?: number | null,
  path?: readonly (string | number)[],
];

export type ServerMessage =
  | {
      readonly type: "sync";
      readonly values: Readonly<Record<string, Json>>;
      readonly undefinedProperties?: readonly string[];
      readonly getterFailures?: readonly string[];
      readonly capabilities?: Capabilities;
      readonly declarationFingerprint?: Fingerprint;
    }
  | { readonly type: "update"; readonly name: string; readonly value?: Json; readonly seq?: number }
  /** A text or list: the first `keep` remain, the rest is replaced. */
  | {
      readonly type: "update";
      readonly name: string;
      readonly keep: number;
      readonly rest: string | readonly Json[];
      readonly seq: number;
    }
  | { readonly type: "return"; readonly id: string; readonly value?: Json }
  /** An object that is no error is sent as it is. */
  | { readonly type: "throw"; readonly id: string; readonly error: WireError | JsonObject }
  /** No session for this client; the socket closes after it. */
  | { readonly type: "refused"; readonly error: WireError }
  | { readonly type: "pong" }
  | Growth;

/** Carries messages to one shell, in order and each once. */
export interface ClientTransport {
  send(message: ClientMessage): void;
  onMessage(handler: (message: ServerMessage) => void): void;
  onClose?(handler: (reason?: TransportClose) => void): void;
  dispose?(): void;
}

/** Carries messages to one client, in order and each once. */
export interface ServerTransport {
  send(message: ServerMessage): void;
  onMessage(handler: (message: ClientMessage) => void): void;
  onClose?(handler: (reason?: TransportClose) => void): void;
  dispose?(): void;
  /** Bytes that the client has not read yet, if the transport can tell. */
  readonly bufferedAmount?: number;
  /** Ends the connection. */
  close?(code: number, reason: string): void;
}

export interface TransportClose {
  readonly code?: number;
  readonly reason?: string;
}

/** Receives dropped messages and background failures. */
export interface BindableLogger {
  warn(message: string, ...details: unknown[]): void;
  error(message: string, ...details: unknown[]): void;
}
