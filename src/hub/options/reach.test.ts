import { once } from "node:events";
import { Agent, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as secureRequest } from "node:https";
import type { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { certificate, renewedCertificate } from "../../../test/support/certificates.ts";
import { signAgentToken, signPageToken } from "../guard/tokens.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";
const ca = [certificate.cert, renewedCertificate.cert];

interface Answered {
  readonly status: number | undefined;
  readonly text: string;
  /** The fingerprint of the server's certificate. */
  readonly shown: string | undefined;
}

async function ask(url: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answered> {
  const sent = secureRequest(url, { ca, agent: false, method, headers });
  sent.end(method === "POST" ? "{}" : undefined);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const shown = (response.socket as TLSSocket).getPeerCertificate().fingerprint256;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, text: Buffer.concat(chunks).toString(), shown };
}

test("a hub with a certificate serves https and wss, and nothing in clear", async () => {
  const hub = await startHub({ jwt: { secret }, tls: () => certificate });
  expect(hub.url).toBe(`https://127.0.0.1:${hub.port}`);
  await expect(fetch(`http://127.0.0.1:${hub.port}/healthz`)).rejects.toThrow("fetch failed");
  expect((await ask(`${hub.url}/healthz`)).status).toBe(200);
  const [token, agent] = await Promise.all([
    signPageToken({ secret, subject: "ann" }),
    signAgentToken({ secret, subject: "ann" }),
  ]);
  await connectPage(hub.url, { ca: certificate.cert, token });
  const headers = { Authorization: `Bearer ${agent}`, "Content-Type": "application/json" };
  const { status, text } = await ask(`${hub.url}/api/call/work`, headers, "POST");
  expect([status, text]).toEqual([200, expect.stringContaining("done")]);
});

test("pings go both ways over TLS, and a page that answers them stays", async () => {
  const hub = await startHub({ jwt: { secret }, tls: () => certificate, limits: { heartbeatTime: 50 } });
  const token = await signPageToken({ secret, subject: "ann" });
  const page = await connectPage(hub.url, { ca: certificate.cert, token });
  for (let pings = 0; pings < 5; pings++) {
    await once(page.socket, "ping");
    page.send({ type: "heartbeat" });
  }
  expect(page.socket.readyState).toBe(page.socket.OPEN);
});

test("the address of a hub with a certificate has its first public name, for which the certificate is", async () => {
  const publicHosts = ["hub.example.com:8443", "other.example"];
  const hub = await startHub({ jwt: { secret }, tls: () => certificate, publicHosts });
  expect(hub.url).toBe("https://hub.example.com:8443");
});

test("a renewed certificate is served as soon as it is there, and one that cannot be used never", async () => {
  let current = certificate;
  const hub = await startHub({ jwt: { secret }, tls: () => current });
  const first = await ask(`${hub.url}/healthz`);
  current = { ...renewedCertificate, key: certificate.key };
  hub.allow("https://one.example");
  expect((await ask(`${hub.url}/healthz`)).shown).toBe(first.shown);
  expect(hub.records.at(-1)).toMatchObject({ level: "error", event: "certificate-refused" });
  expect(JSON.stringify(hub.records)).not.toContain("PRIVATE KEY");
  current = renewedCertificate;
  hub.allow("https://two.example");
  const { status, shown } = await ask(`${hub.url}/healthz`);
  expect([status, shown === first.shown]).toEqual([200, false]);
  expect(hub.records.at(-1)).toMatchObject({ level: "info", event: "certificate-renewed" });
});

test("where a page could have been changed on its way, it is not the hub's own", async () => {
  const token = await signAgentToken({ secret, subject: "ann" });
  const publicHosts = ["hub.example.com"];
  const statuses = async (port: number, Host: string, send: typeof askAt) =>
    Promise.all(
      ["https", "http"].map((scheme) =>
        send(port, "/api/app", { Host, Origin: `${scheme}://${Host}`, Authorization: `Bearer ${token}` }),
      ),
    );
  const secure = await startHub({ jwt: { secret }, tls: () => certificate, publicHosts });
  const overTls: typeof askAt = async (port, path, headers) =>
    (await ask(`https://127.0.0.1:${port}${path}`, headers)).status;
  expect(await statuses(secure.port, "hub.example.com", overTls)).toEqual([200, 403]);
  expect(await statuses(secure.port, `127.0.0.1:${secure.port}`, overTls)).toEqual([200, 403]);
  const proxied = await startHub({ jwt: { secret }, proxies: ["127.0.0.2"], publicHosts });
  expect(await statuses(proxied.port, "hub.example.com", askAt)).toEqual([200, 403]);
  expect(await statuses(proxied.port, `127.0.0.1:${proxied.port}`, askAt)).toEqual([200, 200]);
});

/** Sends an unencrypted request, from one of this machine's addresses, which is named in the headers. */
async function askAt(
  port: number,
  path: string,
  { From: localAddress = "127.0.0.1", ...headers }: Record<string, string>,
) {
  const sent = request({ port, path, headers, localAddress, agent: new Agent() });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

test("H16: a hub reads what its proxies say of a request, and nobody else's words; what they took in clear goes no further than what is public", async () => {
  const token = await signAgentToken({ secret, subject: "ann" });
  const hub = await startHub({ jwt: { secret }, proxies: ["127.0.0.2"], publicHosts: ["hub.example.com"] });
  const from = (address: string, path: string, headers: Record<string, string>) =>
    askAt(hub.port, path, {
      Host: `127.0.0.1:${hub.port}`,
      Authorization: `Bearer ${token}`,
      From: address,
      ...headers,
    });
  const https = { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "hub.example.com" };
  expect(await from("127.0.0.2", "/metrics", https)).toBe(200);
  expect(await from("127.0.0.1", "/metrics", { ...https, "X-Forwarded-Host": "evil.example" })).toBe(200);
  expect(await from("127.0.0.2", "/metrics", { ...https, Host: "evil.example" })).toBe(421);
  expect(await from("127.0.0.2", "/metrics", { ...https, "X-Forwarded-Host": "evil.example" })).toBe(421);
  expect(await from("127.0.0.2", "/metrics", { ...https, "X-Forwarded-Host": "hub.example.com, evil.example" })).toBe(
    421,
  );
  const http = { ...https, "X-Forwarded-Proto": "http" };
  expect([await from("127.0.0.2", "/metrics", http), await from("127.0.0.2", "/healthz", http)]).toEqual([403, 200]);
  const upgrade = { ...http, Connection: "Upgrade", Upgrade: "websocket" };
  expect(await from("127.0.0.2", "/page", upgrade)).toBe(403);
  expect(await hub.metric('pagewire_refusals_total{code="address-refused"}', token)).toBe(2);
});

test("H12: a hub that may be insecure says so in its log", async () => {
  const { records } = await startHub({ jwt: { secret }, host: "0.0.0.0", insecure: true });
  expect(records).toContainEqual(expect.objectContaining({ level: "warn", event: "in-clear", host: "0.0.0.0" }));
});
