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

test("groups are read where providers write them: by a name with dots, or within another claim; one text is one group", () => {
  const of = (groupsClaim: string, claims: object) => read({ sub: "ada", ...claims }, { groupsClaim }).groups;
  expect(of("realm_access.roles", { realm_access: { roles: ["a", "b"] } })).toEqual(["a", "b"]);
  expect(of("resource_access.pagewire.roles", { resource_access: { pagewire: { roles: ["a"] } } })).toEqual(["a"]);
  expect(of("https://hub.example.com/groups", { "https://hub.example.com/groups": ["a"] })).toEqual(["a"]);
  expect(of("a.b", { "a.b": ["whole"], a: { b: ["within"] } })).toEqual(["whole"]);
  expect(of("groups", { groups: "Domain Admins" })).toEqual(["Domain Admins"]);
  expect(of("groups", { groups: ["/staff", "/staff/night"] })).toEqual(["/staff", "/staff/night"]);
  for (const claims of [{}, { realm_access: null }, { realm_access: ["roles"] }, { realm_access: { roles: 5 } }])
    expect(of("realm_access.roles", claims)).toEqual([]);
  for (const name of ["constructor.name", "__proto__.x", "toString", "realm_access.constructor.name"])
    expect(of(name, { realm_access: {} })).toEqual([]);
});

test.each([
  [{ _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint: "https://graph.example/x" } } }],
  [{ hasgroups: true }],
  [{ groups: Array.from({ length: 1001 }, (_, at) => `g${at}`) }],
])("OI18: claims from which groups were left out are refused: %#", (claims) => {
  expect(() => read({ sub: "ada", ...claims })).toThrow(
    expect.objectContaining({
      code: "token-invalid",
      message: expect.stringContaining("assigned to this application"),
    }),
  );
});

test("OI18: groups in the claim count, even if others were left out", () => {
  const elsewhere = { _claim_names: { photo: "src1" }, hasgroups: true };
  expect(read({ sub: "ada", groups: ["a"], ...elsewhere }).groups).toEqual(["a"]);
  expect(read({ sub: "ada", _claim_names: { photo: "src1" } }).groups).toEqual([]);
});

test("OI19: only the organisations that are named may use the hub", () => {
  const options = { organisationClaim: "hd", organisations: ["acme.example"] };
  expect(read({ sub: "ada", hd: "acme.example" }, options)).toMatchObject({ principal: "acme.acme.example/ada" });
  for (const claims of [{ sub: "eve", hd: "evil.example" }, { sub: "eve" }, { sub: "eve", hd: ["acme.example"] }])
    expect(() => read(claims, options)).toThrow(expect.objectContaining({ code: "option-refused" }));
  expect(() => read({ sub: "ada" }, { organisations: ["acme.example"] })).toThrow(/need an organisationClaim/);
});
