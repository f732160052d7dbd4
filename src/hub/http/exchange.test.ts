import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { addressIn } from "./exchange.ts";

test.each([
  ["http", {}, {}],
  ["https", { encrypted: true }, {}],
  ["https", {}, { "x-forwarded-proto": "https" }],
])("the hub's address is %s, by the connection or by a proxy's word", (scheme, socket, headers) => {
  const request = { socket, headers: { host: "hub.example:8443", ...headers } } as unknown as IncomingMessage;
  expect(addressIn(request)).toBe(`${scheme}://hub.example:8443`);
});
