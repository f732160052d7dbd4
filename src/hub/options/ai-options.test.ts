import { expect, test } from "vitest";
import { resolveAiOptions } from "./ai-options.ts";

test("keys that end are masked as they are given, the last four of them, and go to the server's own address alone", async () => {
  const keys = ["key-aaaaaaaa", "AKIDEXAMPLE:secretsecret", "key-cccccccc", "key-dddddddd", "key-eeeeeeee"];
  const seen: unknown[] = [];
  const given = [...keys];
  const ai = resolveAiOptions({
    provider: "openai",
    model: "m",
    getApiKey(refused) {
      seen.push(refused);
      return given.shift() as string;
    },
  });
  const { getApiKey } = ai.fixedFor(undefined);
  expect(ai.mask("key-aaaaaaaa")).toBe("key-aaaaaaaa");
  expect([await getApiKey?.(), await getApiKey?.("key-aaaaaaaa"), seen]).toEqual([
    ...keys.slice(0, 2),
    [undefined, "key-aaaaaaaa"],
  ]);
  expect(ai.mask("key-aaaaaaaa AKIDEXAMPLE secretsecret")).toBe("… … …");
  for (const _ of keys.slice(2)) await getApiKey?.();
  expect(ai.mask(keys.join(" "))).toBe("key-aaaaaaaa … … … …");
  expect(ai.fixedFor("https://other.example")).not.toHaveProperty("getApiKey");
});
