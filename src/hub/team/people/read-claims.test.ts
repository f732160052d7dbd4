import { expect, test } from "vitest";
import { resolveTeam } from "../../options/team-options.ts";
import type { ProviderOptions } from "../../options/team-options.ts";
import { readClaims } from "./read-claims.ts";

function read(claims: Record<string, unknown>, options: Partial<ProviderOptions> = {}) {
  const given = { name: "acme", issuer: "https://id.acme.example", ...options };
  const [provider] = resolveTeam({ secret: "s".repeat(32), providers: [given] }).providers;
  if (!provider) throw new Error("There is no provider.");
  return readClaims(provider, claims);
}

test("claims name a person of the provider's organisation, or of the one that a claim names", () => {
  expect(read({ sub: "ada", name: "Ada" })).toMatchObject({ principal: "acme/ada", name: "Ada", groups: [] });
  expect(read({ sub: "x", oid: "ada", tid: "a/b" }, { subjectClaim: "oid", organisationClaim: "tid" })).toMatchObject({
    principal: "acme.a%2Fb/ada",
  });
});

test.each([
  [{ sub: "ada" }],
  [{ sub: "ada", tid: "" }],
  [{ sub: "ada", tid: 5 }],
  [{ sub: "ada", tid: "\ud800" }],
  [{ tid: "a" }],
  [{ sub: ["ada"], tid: "a" }],
])("claims without a person or an organisation are refused: %j", (claims) => {
  expect(() => read(claims, { organisationClaim: "tid" })).toThrow(expect.objectContaining({ code: "token-invalid" }));
});

test("groups say who may use the hub and who governs the organisation", () => {
  const rules = { memberGroups: ["staff"], adminGroups: ["boss"] };
  expect(read({ sub: "ada", groups: ["staff", 5, ""] }, rules)).toMatchObject({
    groups: ["staff"],
    isMember: true,
    isAdmin: false,
  });
  expect(read({ sub: "ada", groups: "boss" }, rules)).toMatchObject({
    groups: ["boss"],
    isMember: false,
    isAdmin: true,
  });
  expect(read({ sub: "ada" })).toMatchObject({ isMember: true, isAdmin: false });
});
