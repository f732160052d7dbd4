import { PagewireError } from "pagewire/wire";
import type { ErrorCode } from "pagewire/wire";
import { expect, test } from "vitest";
import type { HubQuestion } from "./ask-hub.ts";
import { readProviders, resumeByCookie, signInAddress } from "./providers.ts";

const acme = { name: "acme", title: "Acme" };

function hubWith(answers: Readonly<Record<string, object | ErrorCode>>) {
  const asked: HubQuestion[] = [];
  const ask = async (question: HubQuestion): Promise<unknown> => {
    asked.push(question);
    const answer = answers[question.path] ?? "route-not-found";
    if (typeof answer === "string") throw new PagewireError(answer, "No.");
    return answer;
  };
  return { ask, asked };
}

const secure = { protocol: "https:" } as Location;

test("only a page over https asks who signs people in, and a hub of another mode has nobody", async () => {
  const { ask, asked } = hubWith({ "/api/sign-in": { providers: [acme, { name: 5 }, null] } });
  expect(await readProviders(ask, { protocol: "http:" } as Location)).toEqual([]);
  expect(asked).toEqual([]);
  expect(await readProviders(ask, secure)).toEqual([acme]);
  expect(await readProviders(hubWith({}).ask, secure)).toEqual([]);
});

test.each([
  [{ "/api/session": { token: "t1" } }, "t1"],
  [{ "/api/session": "token-required" as const }, undefined],
])("a token comes by the cookie of somebody who is signed in: %j", async (answers, token) => {
  const { ask, asked } = hubWith({ "/api/sign-in": { providers: [acme] }, ...answers });
  expect(await resumeByCookie(ask, { publicKey: async () => "k" }, secure)).toBe(token);
  expect(asked.at(-1)).toEqual({ method: "POST", path: "/api/session", body: { key: "k" } });
});

test("without a key nothing is asked for, and a hub that is away is no refusal", async () => {
  const providers = { "/api/sign-in": { providers: [acme] } };
  const { ask, asked } = hubWith(providers);
  expect(await resumeByCookie(ask, { publicKey: async () => undefined }, secure)).toBeUndefined();
  expect(asked).toHaveLength(1);
  const away = hubWith({ ...providers, "/api/session": "hub-unreachable" });
  await expect(resumeByCookie(away.ask, { publicKey: async () => "k" }, secure)).rejects.toMatchObject({
    code: "hub-unreachable",
  });
});

test("a provider's link leads back to the page with all of its address", () => {
  expect(signInAddress(acme, "/console/?a=b#/rules")).toBe(
    "/sign-in?provider=acme&returnTo=%2Fconsole%2F%3Fa%3Db%23%2Frules",
  );
});
