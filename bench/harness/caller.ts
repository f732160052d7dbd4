import type { HttpConnection } from "./http-connection.ts";

/** Calls the bench's tool, one call at a time. */
export interface Caller {
  /** Rejects when the call does not end well. */
  call(): Promise<void>;
  close(): void | Promise<void>;
}

/** Opens callers for one turn: servers close the connections that stay unused during the turns of others. */
export type OpenCallers = () => Promise<readonly Caller[]>;

/** A caller that writes its own HTTP. */
export function rawCaller(connection: HttpConnection): Caller {
  return {
    async call() {
      const { status, body } = await connection.call();
      if (status !== 200)
        throw new Error(`A call ended with ${status}: ${Buffer.concat(body).toString().slice(0, 500)}`);
    },
    close: connection.close,
  };
}
