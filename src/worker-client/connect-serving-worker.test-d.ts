import type { Transport } from "@modelcontextprotocol/client";
import type { Transport as OlderTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { expectTypeOf, test } from "vitest";
import type { McpTransport } from "./connect-serving-worker.ts";
import { connectServingWorker } from "./connect-serving-worker.ts";

test("what it gives is a transport for the clients of both lines of the SDK", () => {
  expectTypeOf<McpTransport>().toExtend<Transport>();
  expectTypeOf<McpTransport>().toExtend<OlderTransport>();
});

test("a client is connected with the addresses that its pages use, and on whose behalf", () => {
  void connectServingWorker({ worker: "/w.js", serviceWorker: "/s.js", token: "ann" });
  // @ts-expect-error -- without a token the option is left out.
  void connectServingWorker({ worker: "/w.js", token: null });
});
