import type { ServerResponse } from "node:http";
import type { Payload } from "../../../wire/index.ts";
import { retryHeaders, sendParts } from "../../http/exchange.ts";
import type { Failure } from "./failure.ts";

export function respondParts(response: ServerResponse, parts: readonly Payload[]): void {
  if (!response.destroyed) sendParts(response, { status: 200, parts });
}

export function respondFailure(
  response: ServerResponse,
  { status, retryAfter, body }: Failure,
  more: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed) return;
  const headers = {
    ...more,
    ...(status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
    ...retryHeaders(retryAfter),
  };
  sendParts(response, { status, parts: [JSON.stringify(body)], headers });
}
