// The client of every chain: connections that call the bench's tool.
import { argumentsFor } from "../pages/answers.ts";
import type { SizeName } from "../pages/answers.ts";
import { checkAnswer } from "./check-answer.ts";
import { connectHttp } from "./http-connection.ts";
import type { HttpConnection } from "./http-connection.ts";

/** The token of Pagewire's agents; every hub is sent it. */
export const agentToken = "bench-agent-token-0123456789abcdef";

/** Opens connections for one turn: servers close those that stay unused during the turns of others. */
export type OpenConnections = () => Promise<readonly HttpConnection[]>;

export interface CallersOptions {
  readonly port: number;
  readonly size: SizeName;
  readonly inFlight: number;
}

/** Resolves once a page answers through the hub and the answer is the right one. */
export async function prepareCallers({ port, size, inFlight }: CallersOptions): Promise<OpenConnections> {
  const request = {
    port,
    path: "/api/call/answer",
    headers: {
      Authorization: `Bearer ${agentToken}`,
      "Content-Type": "application/json",
      "User-Agent": "pagewire-bench",
    },
    body: JSON.stringify(argumentsFor(size)),
  };
  await checkAnswer(() => connectHttp(request), size);
  return () => Promise.all(Array.from({ length: inFlight }, () => connectHttp(request)));
}
