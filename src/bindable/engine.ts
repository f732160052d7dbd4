// The connection to a core without a proxy of it, for other rooms.
export { ClientEngine } from "./remote/client-engine.ts";
export { EngineConnection } from "./remote/connect-engine.ts";
export type { ConnectRemoteCoreOptions, RemoteState } from "./remote/connect-engine.ts";
export { readNames } from "./remote/names.ts";
export { isTransportFailure, reviveError } from "./remote/remote-error.ts";
