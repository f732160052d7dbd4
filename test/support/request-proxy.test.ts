import { createServer, request as requestOf } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { startRequestProxy } from "./request-proxy.ts";

/** A server behind a proxy; returns the proxy's port. */
async function proxied(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy = await startRequestProxy();
  proxy.forward({ ports: [(server.address() as AddressInfo).port], token: "secret" });
  onTestFinished(async () => {
    await proxy.close();
    server.closeAllConnections();
    server.close();
  });
  return proxy.port;
}

function post(port: number, headers: readonly string[] = []) {
  return requestOf({ host: "127.0.0.1", port, method: "POST", path: "/a?b=%20", headers });
}

test("the proxy adds the token and passes everything else on unchanged, Host and Origin included", async () => {
  let seen: IncomingMessage | undefined;
  const port = await proxied((request, response) => {
    seen = request;
    response.writeHead(418, "Short and stout", ["X-One", "1", "x-one", "2"]);
    request.pipe(response);
  });
  const headers = ["HOST", "evil.example.com", "Origin", "http://evil.example.com", "X-Twice", "1", "x-twice", "2"];
  const request = post(port, [...headers, "Content-Length", "4"]).end("body");
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(seen).toMatchObject({ method: "POST", url: "/a?b=%20" });
  expect(seen?.rawHeaders).toEqual(
    expect.arrayContaining([...headers, "Content-Length", "4", "Authorization", "Bearer secret"]),
  );
  expect(seen?.rawHeaders.slice(0, headers.length)).toEqual(headers);
  expect(response).toMatchObject({ statusCode: 418, statusMessage: "Short and stout" });
  expect(response.rawHeaders.slice(0, 4)).toEqual(["X-One", "1", "x-one", "2"]);
  expect(String(Buffer.concat(await response.toArray()))).toBe("body");
});

test("the proxy streams in both directions", async () => {
  const port = await proxied((request, response) => {
    response.flushHeaders();
    request.on("data", (data: Buffer) => response.write(data));
  });
  const request = post(port, ["Host", "hub", "Transfer-Encoding", "chunked"]);
  request.flushHeaders();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  for (const word of ["one", "two"]) {
    request.write(word);
    expect(String((await once(response, "data"))[0])).toBe(word);
  }
  request.destroy();
});

test("when one side disconnects, the proxy disconnects the other", async () => {
  let closed: Promise<unknown> | undefined;
  const port = await proxied((request, response) => {
    response.flushHeaders();
    if (request.headers["x-cut"] === "yes") return void response.destroy();
    closed = once(response, "close");
  });
  const leaving = post(port, ["Host", "hub"]).end();
  await once(leaving, "response");
  leaving.destroy();
  await closed;

  const left = post(port, ["Host", "hub", "X-Cut", "yes"]).end();
  const [response] = (await once(left, "response")) as [IncomingMessage];
  await expect(response.toArray()).rejects.toThrow("aborted");
});

test("each request goes to the next server that is there", async () => {
  const ports = await Promise.all(
    ["one", "two", "three"].map(async (name) => {
      const server = createServer((_, response) => response.end(name)).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      if (name === "two") server.close();
      else onTestFinished(() => void server.close());
      return port;
    }),
  );
  const proxy = await startRequestProxy();
  onTestFinished(() => proxy.close());
  proxy.forward({ ports });
  const answers: string[] = [];
  for (let count = 0; count < 4; count++) answers.push(await (await fetch(`http://127.0.0.1:${proxy.port}`)).text());
  expect(answers).toEqual(["one", "three", "one", "three"]);
});
