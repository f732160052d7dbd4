// A second way into this folder, for those who need the connection to a core and no proxy of it.
export { createClientEngine } from "./remote/client-engine.ts";
export type { ClientEngine } from "./remote/client-engine.ts";
export { connectEngine } from "./remote/connect-engine.ts";
export type { ConnectRemoteCoreOptions, KeptConnection, RemoteState } from "./remote/connect-engine.ts";
export { readNames } from "./remote/names.ts";
export { isTransportFailure, reviveError } from "./remote/remote-error.ts";
