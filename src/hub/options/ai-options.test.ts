import { expect, test } from "vitest";
import { resolveAiOptions } from "./ai-options.ts";

/** Options with these keys, one after the other. */
function withKeys(...keys: string[]) {
  const seen: unknown[] = [];
  const ai = resolveAiOptions({
    provider: "openai",
    model: "m",
    getApiKey(refused) {
      seen.push(refused);
      return keys.shift() as string;
    },
  });
  return { ai, seen, get: async (refused?: string) => await ai.fixedFor(undefined).getApiKey?.(refused) };
}

test("keys that end are masked as they are given, and go to the server's own address alone", async () => {
  const { ai, seen, get } = withKeys("key-aaaaaaaa", "AKIDEXAMPLE:secretsecret");
  expect(ai.mask("key-aaaaaaaa")).toBe("key-aaaaaaaa");
  expect([await get(), await get("key-aaaaaaaa"), seen]).toEqual([
    "key-aaaaaaaa",
    "AKIDEXAMPLE:secretsecret",
    [undefined, "key-aaaaaaaa"],
  ]);
  expect(ai.mask("key-aaaaaaaa AKIDEXAMPLE secretsecret")).toBe("… … …");
  expect(ai.fixedFor("https://other.example")).not.toHaveProperty("getApiKey");
});

test("the 64 keys that were used last are masked: one in use stays, however many others came after it first did", async () => {
  const others = Array.from({ length: 70 }, (_, index) => `key-of-tenant-${index + 100}`);
  const { ai, get } = withKeys("key-in-use", ...others.flatMap((key) => [key, "key-in-use"]));
  for (let count = 0; count < 141; count++) await get();
  const left = ai.mask(["key-in-use", ...others].join(" ")).split(" ");
  expect(left[0]).toBe("…");
  expect(left.slice(1)).toEqual([...others.slice(0, 7), ...Array<string>(63).fill("…")]);
});

test.each([
  ["a key", { getApiKey: "sk-1" as never }, /^ai\.getApiKey must be a function, not string\.$/],
  ["null", { getApiKey: null as never }, /^ai\.getApiKey must be a function/],
  ["a function beside apiKey", { getApiKey: () => "sk-1", apiKey: "sk-2" }, /ai\.apiKey and ai\.getApiKey/],
])("a hub does not start with %s as getApiKey, and says so by name", (_, keys, message) => {
  expect(() => resolveAiOptions({ provider: "openai", model: "m", ...keys })).toThrow(message);
});
