import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { createProxies } from "./proxies.ts";

interface Asked {
  readonly from: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isEncrypted?: boolean;
}

function request({ from, headers = {}, isEncrypted = false }: Asked): IncomingMessage {
  const socket = { remoteAddress: from, ...(isEncrypted ? { encrypted: true } : {}) };
  return { socket, headers } as unknown as IncomingMessage;
}

const forwarded = (client: string, more: Record<string, string> = {}) => ({ "x-forwarded-for": client, ...more });
const proxies = createProxies({ host: "0.0.0.0", proxies: ["10.0.0.0/8", "2001:db8::5"], insecure: false });

test.each([
  ["192.0.2.1", forwarded("203.0.113.9"), "192.0.2.1"],
  ["10.0.0.1", {}, "10.0.0.1"],
  ["10.0.0.1", forwarded("203.0.113.9"), "203.0.113.9"],
  ["::ffff:10.0.0.1", forwarded("203.0.113.9"), "203.0.113.9"],
  ["2001:db8::5", forwarded("2001:db8::9"), "2001:db8::9"],
  ["2001:db8::6", forwarded("2001:db8::9"), "2001:db8::6"],
  ["10.0.0.1", forwarded("1.1.1.1, 203.0.113.9, 10.0.0.2"), "203.0.113.9"],
  ["10.0.0.1", forwarded("10.0.0.3, 10.0.0.2"), "10.0.0.3"],
  ["10.0.0.1", forwarded("203.0.113.9, unknown, 10.0.0.2"), "10.0.0.2"],
  ["10.0.0.1", forwarded(""), "10.0.0.1"],
])("H16: what comes from %s, forwarded as %j, is from %s", (from, headers, client) => {
  expect(proxies.clientOf(request({ from, headers }))).toBe(client);
});

test("H16: only a proxy may forward the host that a request was sent to", () => {
  const headers = { "x-forwarded-host": "hub.example.com" };
  expect(proxies.forwardedHost(request({ from: "10.0.0.1", headers }))).toBe("hub.example.com");
  expect(proxies.forwardedHost(request({ from: "10.0.0.1" }))).toBeUndefined();
  for (const from of ["192.0.2.1", "127.0.0.1"])
    expect(proxies.forwardedHost(request({ from, headers }))).toBeUndefined();
});

const https = { "x-forwarded-proto": "https" };
const http = { "x-forwarded-proto": "http" };

test("H16: what others may have read on its way is refused, with what to do", () => {
  const refused: [Asked, RegExp][] = [
    [{ from: "192.0.2.1", headers: https }, /in clear from 192\.0\.2\.1, which is no proxy of this hub/],
    [{ from: "10.0.0.1" }, /Let it send X-Forwarded-Proto/],
    [{ from: "10.0.0.1", headers: http }, /The proxy at 10\.0\.0\.1 took this request in clear/],
    [{ from: "10.0.0.1", headers: http, isEncrypted: true }, /took this request in clear/],
    [{ from: "10.0.0.1", headers: { "x-forwarded-proto": "httpsx" } }, /in clear/],
  ];
  for (const [asked, message] of refused)
    expect(() => proxies.checkUnread(request(asked))).toThrow(
      expect.objectContaining({ code: "address-refused", message: expect.stringMatching(message) }),
    );
  const insecure = createProxies({ host: "0.0.0.0", proxies: ["10.0.0.0/8"], insecure: true });
  for (const [asked] of refused) insecure.checkUnread(request(asked));
});

test("H16: what came by TLS, of the hub's own or of a proxy, or from this machine, goes on", () => {
  for (const asked of [
    { from: "10.0.0.1", headers: https },
    { from: "10.0.0.1", headers: { "x-forwarded-proto": "wss" } },
    { from: "192.0.2.1", isEncrypted: true },
    { from: "127.0.0.1" },
    { from: "::1" },
    { from: "::ffff:127.0.0.1" },
  ])
    proxies.checkUnread(request(asked));
});
