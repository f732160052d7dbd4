// A server in place of a hub's door for terminals, under the test's control.
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../wire/index.ts";

/** One request, with functions that answer it. */
export interface DoorRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  readonly response: ServerResponse;
  /** Resolves when its client has disconnected before the answer. */
  readonly cutOff: Promise<void>;
  answer(status: number, body: unknown, headers?: Record<string, string>): void;
}

export interface ScriptedDoor {
  readonly url: string;
  readonly requests: readonly DoorRequest[];
  close(): Promise<void>;
}

export async function openScriptedDoor(handle: (request: DoorRequest) => void): Promise<ScriptedDoor> {
  const requests: DoorRequest[] = [];
  const server = createServer((message, response) => {
    const { method = "", url: path = "", headers } = message;
    const parts: Buffer[] = [];
    const cutOff = new Promise<void>((resolve) =>
      response.on("close", () => void (response.writableFinished || resolve())),
    );
    message.on("data", (part: Buffer) => parts.push(part));
    message.on("end", () => {
      const text = Buffer.concat(parts).toString();
      const request: DoorRequest = {
        method,
        path,
        headers,
        body: text === "" ? {} : (JSON.parse(text) as JsonObject),
        response,
        cutOff,
        answer(status, body, more = {}) {
          response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(body));
        },
      };
      requests.push(request);
      handle(request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
