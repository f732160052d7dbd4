import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { askHub } from "./ask-hub.ts";

test("the error for a proxy without a hub behind it has the status that it answers with", async () => {
  const proxy = createServer((_, response) => void response.writeHead(502).end("<h1>502 Bad Gateway</h1>"));
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  await expect(askHub({ url, token: "t", method: "GET", path: "/api/status" })).rejects.toMatchObject({
    code: "hub-unreachable",
    message: `Something answers at ${url}, but not as a hub: it says 502.`,
  });
});
