import { expect, test } from "vitest";
import { createSeal } from "../../common/seal.ts";
import { openFlow, sealFlow } from "./flow.ts";

const seal = createSeal(Buffer.alloc(32, 1));
const flow = {
  ...{ provider: "acme", state: "s", nonce: "n", verifier: "v" },
  ...{ callback: "https://hub.example.com/sign-in/callback", returnTo: "https://hub.example.com/", expiresAt: 1000 },
};

test("OI3: a flow is good until it expires, with the key and for the place that it was sealed for", () => {
  const sealed = sealFlow(seal, flow);
  expect(openFlow(seal, sealed, 999)).toEqual(flow);
  expect(openFlow(seal, sealed, 1000)).toBeUndefined();
  expect(openFlow(createSeal(Buffer.alloc(32, 2)), sealed, 0)).toBeUndefined();
  expect(openFlow(seal, seal.seal(JSON.stringify(flow), "session"), 0)).toBeUndefined();
});

test("what was changed, or is something else, opens as nothing", () => {
  const sealed = Buffer.from(sealFlow(seal, flow), "base64url");
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(openFlow(seal, changed.toString("base64url"), 0)).toBeUndefined();
  }
  for (let length = 0; length < sealed.length; length++)
    expect(openFlow(seal, sealed.subarray(0, length).toString("base64url"), 0)).toBeUndefined();
  for (const text of [undefined, "", "é", "{}"]) expect(openFlow(seal, text, 0)).toBeUndefined();
  for (const text of [
    "",
    "[]",
    "{}",
    JSON.stringify({ ...flow, state: 5 }),
    JSON.stringify({ ...flow, expiresAt: "x" }),
  ])
    expect(openFlow(seal, seal.seal(text, "flow"), 0)).toBeUndefined();
});

test("the same text is sealed otherwise each time", () => {
  expect(sealFlow(seal, flow)).not.toBe(sealFlow(seal, flow));
});
