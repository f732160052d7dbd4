import { expect, test } from "vitest";
import { systemClock } from "../../../link/index.ts";
import { resolveTeam } from "../../options/team-options.ts";
import type { ProviderOptions } from "../../options/team-options.ts";
import { createLater, createMemoryStore } from "../../store/index.ts";
import { People } from "../people/people.ts";
import { readClaims } from "../people/read-claims.ts";
import { noteClaims } from "./note-claims.ts";

const maxClaimsAge = 60_000;
const leftOut = { _claim_names: { groups: "src1" } };

function setUp(options: Partial<ProviderOptions> = {}) {
  const given = { name: "acme", issuer: "https://id.acme.example", ...options };
  const [provider] = resolveTeam({ secret: "s".repeat(32), providers: [given] }).providers;
  if (!provider) throw new Error("There is no provider.");
  const time = { now: 1_000_000 };
  const now = () => time.now;
  const parts = { now, later: createLater(systemClock), onNotSaved: () => {}, onChanged: () => {} };
  const store = createMemoryStore();
  const people = new People({ ...parts, store });
  return {
    time,
    known: () => people.known("acme/ada"),
    stored: () => new People({ ...parts, store }).load("acme/ada"),
    async signIn(claims: object) {
      const { principal, ...about } = readClaims(provider, { sub: "ada", ...claims });
      await people.note(principal, about, ++time.now);
    },
    token: (claims: object) =>
      noteClaims(provider, { claims: { sub: "ada", ...claims }, saidAt: ++time.now }, { people, now, maxClaimsAge }),
  };
}

const refused = (words: string) => ({ code: "option-refused", message: expect.stringContaining(words) });

test.each([[{}], [leftOut], [{ hasgroups: true }]])(
  "OA38: a token that says nothing about groups leaves those of the sign-in, until they are too old: %j",
  async (claims) => {
    const { token, signIn, known, time } = setUp({ memberGroups: ["staff"], adminGroups: ["staff"] });
    await signIn({ groups: ["staff"] });
    const before = known();
    const until = time.now + maxClaimsAge;
    expect(await token(claims)).toEqual({ principal: "acme/ada", until });
    expect(known()).toEqual(before);
    time.now = until;
    await expect(token(claims)).rejects.toMatchObject(refused("sign in to the hub in a browser again"));
    expect(known()?.isMember).toBe(true);
    await signIn({ groups: ["staff"] });
    await token(claims);
  },
);

test("OA38: without a sign-in a token has to say the groups where some are members, and nothing is noted of one that does not", async () => {
  const { token, known } = setUp({ memberGroups: ["staff"] });
  await expect(token({})).rejects.toMatchObject(refused('no claim "groups"'));
  expect(known()).toBeUndefined();
  await token({ groups: ["staff"] });
  await expect(token({ groups: [] })).rejects.toMatchObject(refused("no group that may use this hub"));
  expect(known()?.isMember).toBe(false);
});

test("OA38: somebody whom the last sign-in had in no group is let in by no token that says nothing", async () => {
  const { token, signIn } = setUp({ memberGroups: ["staff"] });
  await signIn({ groups: ["staff"] });
  await signIn({});
  await expect(token({})).rejects.toMatchObject({ code: "option-refused" });
});

test("OA38: where tokens of a person have had the claim, one without it does not keep groups of before", async () => {
  const { token, signIn, known, stored } = setUp({ memberGroups: ["staff"] });
  await token({ groups: ["staff"] });
  await signIn({ groups: ["staff"] });
  await expect(token({})).rejects.toMatchObject(refused('no claim "groups"'));
  // It says nothing of other credentials.
  expect(known()).toMatchObject({ isMember: true, groups: ["staff"] });
  expect(await stored()).toMatchObject({ tokensHaveGroups: true });
  const open = setUp();
  await open.token({ groups: ["contractors"] });
  await open.token({});
  expect(open.known()?.groups).toEqual([]);
});

test("OA38: a provider without groups needs no sign-in, and groups that were left out are not taken as none", async () => {
  const { token, known } = setUp();
  expect(await token({})).toEqual({ principal: "acme/ada", until: Infinity });
  expect(known()?.groups).toEqual([]);
  await expect(token(leftOut)).rejects.toMatchObject({ code: "token-invalid" });
});
