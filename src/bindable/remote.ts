export { createRemoteCoreProxy, RemoteCoreProxy } from "./remote/remote-core-proxy.ts";
export { connectRemoteCore } from "./remote/connect-remote-core.ts";
export type { RemoteCore } from "./remote/connect-remote-core.ts";
export type { ConnectRemoteCoreOptions, RemoteState } from "./remote/connect-engine.ts";
export type { RemoteCoreProxyOptions } from "./remote/remote-core-proxy-options.ts";
export type { AckOptions } from "./remote/client-calls.ts";
export { WebSocketClientTransport } from "./remote/web-socket-client-transport.ts";
export type { WebSocketClientTransportOptions } from "./remote/web-socket-client-transport.ts";
export { remoteErrorCodes } from "./remote/error-codes.ts";
export type { RemoteErrorCode } from "./remote/error-codes.ts";
export { isTransportFailure, reviveError } from "./remote/remote-error.ts";
export type { RemoteError } from "./remote/remote-error.ts";
export { RemoteShellProxy } from "./remote/remote-shell-proxy.ts";
export type { RemoteShellProxyOptions } from "./remote/remote-shell-proxy.ts";
export { createShellSessions } from "./remote/shell-sessions.ts";
export type { OpenedCore, SessionCall, ShellSessions, ShellSessionsOptions } from "./remote/shell-sessions.ts";
export type { ShellCall } from "./remote/shell-context.ts";
export type { ShellOptions } from "./remote/shell.ts";
export { defaultShellLimits } from "./remote/shell-limits.ts";
export type { ShellLimits } from "./remote/shell-limits.ts";
export { WebSocketServerTransport } from "./remote/web-socket-server-transport.ts";
export type { ServerSocket, WebSocketServerTransportOptions } from "./remote/web-socket-server-transport.ts";
export type {
  BindableLogger,
  ClientMessage,
  ClientTransport,
  ServerMessage,
  ServerTransport,
  TransportClose,
  WireError,
} from "./remote/messages.ts";
