import { Readable } from "node:stream";
import type { DelegateFetch } from "../hub-client/index.ts";
import { sendOverHttp } from "./send-over-http.ts";

/** As `fetch`, and waits for an answer for as long as the signal lets it. */
export const patientFetch: DelegateFetch = async (url, { method, headers, body, signal }) => {
  const response = await sendOverHttp(url, { method, headers: { "user-agent": "pagewire", ...headers }, body, signal });
  return {
    status: response.statusCode ?? 0,
    headers: { get: (name) => response.headers[name.toLowerCase()]?.toString() ?? null },
    body: Readable.toWeb(response),
  };
};
