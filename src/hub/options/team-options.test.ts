import { expect, test } from "vitest";
import { resolveTeam } from "./team-options.ts";

const secret = "s".repeat(32);

const twice: readonly [first: string, second: string][] = [
  ["https://id.example", "https://id.example/"],
  ["https://id.example", "https://ID.Example"],
  ["https://id.example", "HTTPS://id.example:443"],
  ["https://id.example/tenant", "https://id.example/tenant//"],
];

test.each(twice)("%s and %s are one identity provider", (first, second) => {
  const providers = [first, second].map((issuer, at) => ({ name: `acme${at}`, issuer }));
  expect(() => resolveTeam({ secret, providers })).toThrow(`Two identity providers have the issuer "${second}".`);
});

test("issuers with other paths, hosts or ports are other identity providers", () => {
  const issuers = ["https://id.example/a", "https://id.example/A", "https://a.id.example", "https://id.example:8443"];
  const providers = issuers.map((issuer, at) => ({ name: `acme${at}`, issuer }));
  expect(resolveTeam({ secret, providers }).providers.map(({ issuer }) => issuer)).toEqual(issuers);
});

test("two identity providers cannot be one organisation", () => {
  const providers = ["a", "b"].map((host) => ({ name: "acme", issuer: `https://${host}.example` }));
  expect(() => resolveTeam({ secret, providers })).toThrow('Two identity providers have the name "acme".');
});
