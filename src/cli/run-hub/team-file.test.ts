import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import { readTeamOptions } from "./team-file.ts";

const provider = { name: "acme", issuer: "https://id.acme.example" };

/** Reads a team's file; the secret of its provider's client is beside it, and in the environment. */
function read(content: object) {
  const { io, home, state, close } = createTestIo({ environment: { SECRET: "of the environment" } });
  onTestFinished(close);
  const path = join(home, "team.json");
  writeFileSync(path, JSON.stringify(content));
  writeFileSync(join(home, "secret"), "of the file\n", { mode: 0o600 });
  const values = { team: path, "jwt-secret-file": undefined, jwks: undefined };
  return readTeamOptions(values, io, state);
}

/** A good value of each setting that the documents name. */
const settings: Readonly<Record<string, unknown>> = {
  ...provider,
  ...{ title: "Acme", clientId: "hub", clientSecretFile: "secret", commandLineClientId: "cli", audiences: ["api://x"] },
  ...{ subjectClaim: "oid", organisationClaim: "org_id", groupsClaim: "roles", memberGroups: ["staff"] },
  ...{ adminGroups: ["admins"], scopes: { tools: "api:tools" }, signInScope: "openid", tokenType: "at+jwt" },
  ...{ signInParameters: { prompt: "consent" }, introspection: true, maxTokenAge: 60_000 },
  organisationLimits: { calls: 500 },
};

test("all settings are read, and a path is beside the file", () => {
  const { clientSecretFile: _, ...rest } = settings;
  const team = { firstScopes: ["tools", "admin"], shareModel: false, modelAddresses: ["https://llm.acme.example/v1"] };
  expect(read({ ...team, secretFile: "secret", providers: [settings] })).toEqual({
    ...{ ...team, secret: "of the file" },
    providers: [{ ...rest, clientSecret: "of the file" }],
  });
  const fromEnvironment = read({ providers: [{ ...provider, clientSecretEnv: "SECRET" }] });
  expect(fromEnvironment?.providers).toEqual([{ ...provider, clientSecret: "of the environment" }]);
  expect(fromEnvironment?.secret).toMatch(/^.{32,}$/);
});

test("every setting of a provider that the guide names can be set", () => {
  const guide = readFileSync(new URL("../../../docs/guide/a-hub-for-your-company.md", import.meta.url), "utf8");
  const [, table = ""] = /\n\| setting \|[^\n]*\n\|[-| ]+\|\n((?:\|[^\n]*\n)+)/.exec(guide) ?? [];
  const named = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)]);
  const names = named.map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) {
    if (name === "clientSecretEnv") continue;
    expect(read({ providers: [{ ...provider, [name]: settings[name] }] })?.providers).toHaveLength(1);
  }
});

test.each([
  [
    { providers: [{ ...provider, clientsId: "x" }] },
    '"clientsId", which is no setting of an identity provider. Did you mean "clientId"?',
  ],
  [{ providers: [{ ...provider, clientSecret: "x" }] }, 'Did you mean "clientSecretFile"?'],
  [{ providers: [{ ...provider, toString: 1 }] }, '"toString", which is no setting of an identity provider.'],
  [
    { providers: [provider], shareModels: true },
    '"shareModels", which is no setting of a team. Did you mean "shareModel"?',
  ],
  [{ provider: [provider] }, 'needs "providers", a list of identity providers'],
  [{ providers: [provider], shareModel: "no" }, '"shareModel" in'],
  [{ providers: [provider], secretFile: 1 }, '"secretFile" in'],
  [{ providers: [{ ...provider, adminGroups: "admins" }] }, "must be a list of texts"],
  [{ providers: [{ name: "acme" }] }, 'an identity provider without "issuer"'],
  [{ providers: [{ ...provider, clientSecretEnv: "NONE" }] }, "wants a secret in NONE, which is not set"],
])("%j is refused by name", (content, message) => {
  expect(() => read(content)).toThrow(message);
});
