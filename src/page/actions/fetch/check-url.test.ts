import { expect, test } from "vitest";
import { makeFetchPage, own, ruleOf } from "./fetch.test-helper.ts";
import type { FetchPolicy } from "./fetch-policy.ts";

const ruleFor = (url: string, policy: FetchPolicy = {}, hub?: string) =>
  ruleOf(makeFetchPage(policy).fetch({ url }, hub === undefined ? {} : { hub }));

test("an address may be relative to the page's own, and is fetched from there", async () => {
  const page = makeFetchPage();
  await page.fetch({ url: "/api/me" });
  await page.fetch({ url: "?x=2" });
  expect(page.sent.map(([url]) => url)).toEqual([`${own}/api/me`, `${own}/terminal?x=2`]);
});

test("another origin is fetched only where the page lists it, exactly or by all that is below a name", async () => {
  const policy = { origins: ["https://api.example.com", "https://*.files.example.com", "http://*.old.example:8080"] };
  for (const url of [
    "https://api.example.com/v1",
    "https://API.example.com:443/",
    "https://a.files.example.com",
    "https://a.b.files.example.com/",
    "http://x.old.example:8080",
  ]) {
    expect([url, await ruleFor(url, policy)]).toEqual([url, "allowed"]);
  }
  for (const url of [
    "http://api.example.com",
    "https://api.example.com:8443",
    "https://api.example.com.evil.example",
    "https://x.api.example.com",
    "https://files.example.com",
    "https://evilfiles.example.com",
    "https://a.files.example.com:444",
    "http://a.files.example.com",
    "https://a.files.example.com.",
    "http://x.old.example",
    "https://evil.example/#https://api.example.com",
    "https://shop.example.evil.example",
    "http://shop.example",
  ]) {
    expect([url, await ruleFor(url, policy)]).toEqual([url, "origins"]);
  }
  expect(await ruleFor("https://any.example", { origins: ["*"] })).toBe("allowed");
});

test("the hub is never fetched, however its address is written, whatever the policy, also from its own page", async () => {
  const everything = {
    origins: ["*", "http://127.0.0.1:7337", "http://localhost:7337", "https://shop.example"],
    privateNetworks: true,
  };
  for (const url of [
    "http://127.0.0.1:7337/",
    "https://127.0.0.1:7337/",
    "http://localhost:7337/api/tabs",
    "http://LOCALHOST.:7337",
    "http://x.localhost:7337",
    "http://127.9.9.9:7337",
    "http://0.0.0.0:7337",
    "http://0:7337",
    "http://2130706433:7337",
    "http://0x7f.1:7337",
    "http://0177.0.0.1:7337",
    "http://[::1]:7337",
    "http://[::]:7337",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:7337",
    "http://[::ffff:7f00:1]:7337",
  ]) {
    expect([url, await ruleFor(url, everything)]).toEqual([url, "hub"]);
  }
  expect(await ruleFor("/api/tabs", everything, own)).toBe("hub");
  expect(await ruleFor("https://shop.example./", everything, own)).toBe("hub");
  expect(await ruleFor("http://hub.example", everything, "http://hub.example:80")).toBe("hub");
  expect(await ruleFor("http://127.0.0.1:8000", everything)).toBe("allowed");
});

test("where it is not known which hub a call came through, nothing is fetched", async () => {
  expect(await ruleOf(makeFetchPage().fetch({ url: "/" }, { hub: undefined }))).toBe("hub");
});

const privateAddresses = [
  "http://localhost",
  "http://localhost.",
  "http://app.localhost:3000",
  "http://127.0.0.1",
  "http://127.1",
  "http://2130706433",
  "http://017700000001",
  "http://0x7f000001",
  "http://0x7F.0.0.1",
  "http://127.0.0.1.",
  "http://①②⑦.⓪.⓪.①",
  "http://%31%32%37.0.0.1",
  "http://0",
  "http://0.0.0.0",
  "http://10.1.2.3",
  "http://100.64.0.1",
  "http://100.127.255.255",
  "http://169.254.169.254",
  "http://172.16.0.1",
  "http://172.31.255.255",
  "http://192.0.0.1",
  "http://192.168.1.1",
  "http://198.18.0.1",
  "http://224.0.0.1",
  "http://255.255.255.255",
  "http://[::1]",
  "http://[::]",
  "http://[::ffff:10.0.0.1]",
  "http://[::127.0.0.1]",
  "http://[64:ff9b::7f00:1]",
  "http://[2002:7f00:1::]",
  "http://[2001:0:1::1]",
  "http://[fe80::1]",
  "http://[fec0::1]",
  "http://[fc00::1]",
  "http://[fd12:3456::1]",
  "http://[ff02::1]",
  "http://[2::1]",
  "http://router",
  "http://nas.local",
  "http://nas.local.",
  "http://localhost..",
  "http://router..",
  "http://db.internal",
  "http://printer.lan",
  "http://x.home.arpa",
  "https://app.test",
];

test("this computer and its network are not fetched, in whichever way their addresses are written", async () => {
  for (const url of privateAddresses) {
    expect([url, await ruleFor(url, { origins: ["*"] })]).toEqual([url, "privateNetworks"]);
  }
  for (const url of [
    "https://8.8.8.8",
    "https://100.63.0.1",
    "https://172.32.0.1",
    "https://192.169.0.1",
    "https://[2606:4700::1111]",
    "https://[2001:db8::1]",
    "https://local.example",
    "https://localhost.example",
    "https://10.example.com",
  ]) {
    expect([url, await ruleFor(url, { origins: ["*"] })]).toEqual([url, "allowed"]);
  }
});

test("there, only the page's own origin, an origin that is listed by itself, or all where the policy says so", async () => {
  expect(await ruleFor("http://localhost:3000", { origins: ["http://localhost:3000"] })).toBe("allowed");
  expect(await ruleFor("http://127.0.0.1:3000", { origins: ["http://localhost:3000"] })).toBe("privateNetworks");
  expect(await ruleFor("http://app.localhost:3000", { origins: ["http://*.localhost:3000"] })).toBe("privateNetworks");
  expect(await ruleFor("http://10.0.0.1", { origins: ["*"], privateNetworks: true })).toBe("allowed");
  expect(await ruleFor("http://10.0.0.1", { privateNetworks: true })).toBe("origins");
});

test("only http and https are fetched, and no address that holds a password or is none", async () => {
  for (const url of [
    "file:///etc/passwd",
    "data:text/plain,x",
    "blob:https://shop.example/1",
    "javascript:1",
    "ws://x.example",
  ]) {
    expect([url, await ruleFor(url, { origins: ["*"] })]).toEqual([url, "schemes"]);
  }
  for (const url of [
    "https://ada:secret@shop.example/",
    "https://ada@shop.example/",
    "http://",
    "https://[::1",
    "http://1.2.3.4.5",
  ]) {
    expect([url, await ruleFor(url, { origins: ["*"] })]).toEqual([url, "url"]);
  }
});
