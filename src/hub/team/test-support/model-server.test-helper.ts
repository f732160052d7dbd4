// A vendor's API as a server of its own: the scripted model of these tests, over HTTP.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { playModel } from "../../doors/core/model.test-helper.ts";
import type { ModelRequest, ModelTurn } from "../../doors/core/model.test-helper.ts";

export interface ModelServer {
  /** Such as http://127.0.0.1:1234/v1. */
  readonly address: string;
  readonly requests: readonly ModelRequest[];
  /** The Authorization headers that came. */
  readonly keys: readonly (string | undefined)[];
}

export async function startModelServer(
  turnOf: (request: ModelRequest, round: number) => ModelTurn | Response,
): Promise<ModelServer> {
  const model = playModel(turnOf);
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      // It lists no models.
      if (request.method === "GET") return void response.writeHead(404).end();
      keys.push(request.headers.authorization);
      const body = await text(request);
      const answer = await model.fetch(`http://${request.headers.host}${request.url}`, { method: "POST", body });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      for await (const piece of answer.body ?? []) response.write(piece);
      response.end();
    })();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests: model.requests, keys };
}
