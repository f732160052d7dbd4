// The client of every chain: connections that call the bench's tool.
import { randomUUID } from "node:crypto";
import { argumentsFor } from "../pages/answers.ts";
import type { SizeName } from "../pages/answers.ts";
import { checkAnswer } from "./check-answer.ts";
import { rawCaller } from "./caller.ts";
import type { OpenCallers } from "./caller.ts";
import { connectHttp } from "./http-connection.ts";
import type { HttpRequest } from "./http-connection.ts";

/** The token of Pagewire's agents; every hub is sent it. */
export const agentToken = "bench-agent-token-0123456789abcdef";

export interface CallersOptions {
  readonly port: number;
  readonly size: SizeName;
  /** The most calls at once. */
  readonly inFlight: number;
  /** By default that of the local hub's agents. */
  readonly token?: string;
  /** Whether each call has an idempotency key, which no other call has. */
  readonly hasKeys?: boolean;
}

/** Resolves once a page answers through the hub and the answer is the right one. */
export async function prepareCallers({
  port,
  size,
  inFlight,
  token = agentToken,
  hasKeys,
}: CallersOptions): Promise<OpenCallers> {
  const request = {
    port,
    path: "/api/call/answer",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "User-Agent": "pagewire-bench",
    },
    body: JSON.stringify(argumentsFor(size)),
  };
  await checkAnswer(request, size);
  return () => openRawCallers(inFlight, () => (hasKeys ? withKeys(request) : request));
}

function withKeys(request: HttpRequest): HttpRequest {
  const counter = "1000000000";
  const headers = { ...request.headers, "Idempotency-Key": `${randomUUID()}-${counter}` };
  return { ...request, headers, counter };
}

/** So many connections at once, each with a request of its own. */
export function openRawCallers(count: number, requestOf: (index: number) => HttpRequest): ReturnType<OpenCallers> {
  return Promise.all(Array.from({ length: count }, async (_, index) => rawCaller(await connectHttp(requestOf(index)))));
}
