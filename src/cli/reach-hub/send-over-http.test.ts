import { createServer } from "node:http";
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createDelegate } from "../../hub-client/index.ts";
import { fetchWithoutTimeout } from "./send-over-http.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await stop(server);
});

/** A hub whose answers the test controls, and a client of it. */
async function open(handle: (response: ServerResponse, path: string) => void) {
  let [body, agent, cut] = ["", "", () => {}];
  const cutOff = new Promise<void>((resolve) => (cut = resolve));
  const server = createServer((request, response) => {
    response.on("close", () => void (response.writableFinished || cut()));
    request.on("data", (part: Buffer) => (body += part.toString()));
    agent = request.headers["user-agent"] ?? "";
    request.on("end", () => handle(response, request.url ?? ""));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tab = createDelegate({ url, token: "secret", browserId: "b", fetch: fetchWithoutTimeout });
  return { tab, cutOff, body: () => JSON.parse(body) as unknown, agent: () => agent, stop: () => stop(server) };
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

test("requests have a user agent, so that the page can name the program that asks", async () => {
  const { agent, tab } = await open((response) => response.end('{"status":"ok","result":""}'));
  await tab.call("celebrate");
  expect(agent()).toBe("pagewire");
});

test("answers arrive whole, or in pieces as they are sent", async () => {
  let next: (() => void) | undefined;
  const { body, tab } = await open((response, path) => {
    if (!path.endsWith("/stream")) return void response.end('{"status":"ok","result":"Grüße"}');
    response.writeHead(200);
    response.write('{"type":"chunk","delta":"one"}\n');
    next = () => response.end('{"type":"done","result":{"status":"ok","result":"one"}}\n');
  });
  expect(await tab.call("greet", { name: "Ä" })).toEqual({ text: "Grüße" });
  expect(body()).toEqual({ action: "greet", browser_id: "b", name: "Ä" });
  expect(await tab.call("write", {}, { onChunk: () => next?.() })).toEqual({ text: "one" });
});

test("requests follow no redirect, and report the cause of a failure", async () => {
  const elsewhere = await open((response) => void response.writeHead(302, { location: "http://127.0.0.1:9/" }).end());
  await expect(elsewhere.tab.call("greet")).rejects.toMatchObject({ code: "hub-unreachable" });
  const broken = await open((response) => void response.destroy());
  await expect(broken.tab.call("greet")).rejects.toMatchObject({ code: "outcome-unknown", ran: "maybe" });
  const half = await open((response) => {
    response.writeHead(200);
    response.write("{", () => response.destroy());
  });
  await expect(half.tab.call("greet")).rejects.toMatchObject({ code: "outcome-unknown" });
  await broken.stop();
  await expect(broken.tab.call("greet")).rejects.toMatchObject({ code: "hub-unreachable", ran: "no" });
});

test.each([undefined, () => {}])("the signal cuts them off, before and in the middle of an answer", async (onChunk) => {
  const aborter = new AbortController();
  const { cutOff, tab } = await open((response) => {
    if (onChunk === undefined) return aborter.abort();
    response.writeHead(200);
    response.write('{"type":"chunk","delta":"one"}\n');
  });
  const hears = onChunk === undefined ? {} : { onChunk: () => aborter.abort() };
  await expect(tab.call("write", {}, { signal: aborter.signal, ...hears })).rejects.toMatchObject({
    code: "cancelled",
  });
  await cutOff;
});
