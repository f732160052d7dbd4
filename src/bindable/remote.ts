export { createRemoteCoreProxy, RemoteCoreProxy } from "./remote/remote-core-proxy.ts";
export { connectRemoteCore } from "./remote/connect-engine.ts";
export type { RemoteCore } from "./remote/connect-engine.ts";
export { WebSocketClientTransport } from "./remote/web-socket-client-transport.ts";
export { RemoteShellProxy } from "./remote/remote-shell-proxy.ts";
export { createShellSessions } from "./remote/shell-sessions.ts";
export type { OpenedCore, ShellSessions } from "./remote/shell-sessions.ts";
export { WebSocketServerTransport } from "./remote/web-socket-server-transport.ts";
export type { ClientMessage, ClientTransport, ServerMessage, ServerTransport } from "./remote/messages.ts";
