import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { networkInterfaces } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { createHub } from "../create-hub.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { HubOptions } from "./options.ts";
import { askRaw } from "../test-support/raw.test-helper.ts";
import { freePort } from "../../../test/support/free-port.ts";

const secret = "a-secret-of-at-least-32-characters";

test("H12: a hub without jwt mode listens on loopback addresses only, and says why", async () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.1", "hub.example.com", "", "127.0.0.1.nip.io"]) {
    await expect(createHub({ port: 0, host, agentToken: () => "token" })).rejects.toMatchObject({
      code: "address-refused",
      message: expect.stringMatching(/without jwt mode everyone who can reach that address/),
    });
  }
});

test("H12: by default nothing but loopback reaches it", async () => {
  const { url, port } = await startHub();
  expect(url).toBe(`http://127.0.0.1:${port}`);
  const others = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  for (const { address } of others.filter(({ internal, family }) => !internal && family === "IPv4")) {
    await expect(fetch(`http://${address}:${port}/healthz`)).rejects.toThrow();
  }
});

test("H12: a hub listens on the other loopback addresses, and in jwt mode on any, where nobody can read its tokens or it may be insecure", async () => {
  const all = { host: "0.0.0.0", jwt: { secret } };
  await expect(startHub(all)).rejects.toMatchObject({
    code: "address-refused",
    message: expect.stringMatching(/in clear: .*--tls-cert and --tls-key.*--behind-proxy.*--insecure/),
  });
  for (const options of [{ host: "localhost" }, { ...all, proxies: ["10.0.0.0/8"] }, { ...all, insecure: true }]) {
    const hub = await startHub(options);
    expect((await fetch(`http://127.0.0.1:${hub.port}/healthz`)).status).toBe(200);
  }
});

test("H12: a public name is answered to where it is said, with its port", async () => {
  const { port } = await startHub({ jwt: { secret }, publicHosts: ["Hub.example.com", "hub.example.com:8443"] });
  for (const [host, status] of [
    ["hub.example.com", 200],
    ["hub.example.com:8443", 200],
    [`hub.example.com:${port}`, 421],
    ["example.com", 421],
  ] as const) {
    expect((await askRaw(port, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status).toBe(status);
  }
});

test("a port in use is an error with a name, and says what to look at", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await expect(startHub({ port })).rejects.toMatchObject({
    code: "address-in-use",
    message: `Port ${port} is in use. Is a hub running already? See: npx pagewire doctor`,
  });
});

test("options that cannot be meant are refused by name", async () => {
  const cases: readonly [HubOptions, RegExp][] = [
    [{}, /agentToken/],
    [{ agentToken: () => "token", port: 70_000 }, /70000/],
    [{ agentToken: () => "token", port: 1.5 }, /1\.5/],
    [{ agentToken: () => "token", demo: { port: 70_000 } }, /The demo's port/],
    [{ agentToken: () => "token", port: 7337, demo: { port: 7337 } }, /a port of its own/],
    [{ jwt: { secret }, demo: { port: 0 } }, /no demo/],
    [{ jwt: {} }, /either a secret or/],
    [{ jwt: { secret, jwks: "https://keys.example/" } }, /either a secret or/],
    [{ jwt: { secret: "short" } }, /32 characters/],
    [{ jwt: { jwks: "keys" } }, /"keys" is not a URL/],
    [
      { jwt: { secret }, tls: () => ({ cert: "no", key: "certificate" }) },
      /The certificate and its key cannot be used/,
    ],
    [{ jwt: { secret }, proxies: ["proxy.example.com"] }, /"proxy.example.com" is not the address of a proxy/],
    [{ jwt: { secret }, proxies: ["10.0.0.0/33"] }, /"10.0.0.0\/33" is not the address of a proxy/],
    [{ agentToken: () => "token", limits: { callTimes: 5 } as object }, /"callTimes"/],
    [{ agentToken: () => "token", limits: { callTime: -5 } }, /"callTime"/],
  ];
  for (const [options, message] of cases) {
    await expect(createHub({ port: 0, ...options })).rejects.toMatchObject({ code: "options-invalid", message });
  }
});

test("a hub that cannot start leaves nothing behind that listens", async () => {
  const port = await freePort();
  await expect(startHub({ port, assets: "/dev/null/x" })).rejects.toThrow();
  expect((await startHub({ port })).port).toBe(port);
});

test("an empty agent token is always refused", async () => {
  const hub = await startHub({ agentToken: () => "" });
  for (const token of ["", "x"]) {
    const { status } = await fetch(`${hub.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
    expect(status).toBe(401);
  }
});
