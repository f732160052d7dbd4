import type { IncomingMessage, ServerResponse } from "node:http";
import type { Credentials } from "./credentials.ts";
import { alwaysHeaders } from "../http/exchange.ts";

export function respondPreflight(
  { headers }: IncomingMessage,
  response: ServerResponse,
  credentials: Pick<Credentials, "isHopeless">,
): void {
  const { origin } = headers;
  const isWelcome = origin !== undefined && origin !== "null" && !credentials.isHopeless(origin);
  response.writeHead(200, {
    ...alwaysHeaders,
    "Content-Length": 0,
    Vary: "Origin",
    ...(isWelcome
      ? {
          "Access-Control-Allow-Origin": origin,
          "Access-Control-Allow-Methods": "GET, POST",
          "Access-Control-Allow-Headers": headers["access-control-request-headers"] ?? "content-type",
          "Access-Control-Allow-Private-Network": "true",
        }
      : {}),
  });
  response.end();
}
