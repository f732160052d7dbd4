import type { WcBindableDeclaration } from "../declaration.ts";
import { connectEngine } from "./connect-engine.ts";
import type { ConnectRemoteCoreOptions, KeptConnection } from "./connect-engine.ts";
import { createProxy } from "./remote-core-proxy.ts";
import type { RemoteCoreProxy } from "./remote-core-proxy.ts";

/** A core elsewhere, and the connection to it. */
export interface RemoteCore<Values extends object = Record<string, unknown>> extends KeptConnection {
  /** One for all sockets: bound once, it goes on after each cut, and so do its calls. */
  readonly proxy: RemoteCoreProxy & Readonly<Partial<Values>>;
}

/** Keeps a connection to a core up. With a server of Pagewire calls survive a cut: each has one outcome. */
export function connectRemoteCore<Values extends object = Record<string, unknown>>(
  declaration: WcBindableDeclaration,
  options: ConnectRemoteCoreOptions,
): RemoteCore<Values> {
  return connectEngine(options, (owner) => {
    const { proxy, engine } = createProxy<Values>(declaration, options, owner);
    return { engine, face: { proxy } };
  });
}
