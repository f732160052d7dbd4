import { expect, test } from "vitest";
import { createFakeExtension } from "../fake-extension-api.test-helper.ts";
import { savedMost } from "../port/parse-messages.ts";
import { createSavedTexts, savedPrefix } from "./saved-texts.ts";
import { createStored } from "./stored.ts";

/** A session storage with a bound, as browsers have it. */
function createBounded(bytesMost: number) {
  const { session } = createFakeExtension().api.storage;
  return {
    ...session,
    async set(items: Readonly<Record<string, unknown>>) {
      if (JSON.stringify({ ...(await session.get(null)), ...items }).length > bytesMost) {
        throw new Error("Session storage quota bytes exceeded. Values were not stored.");
      }
      await session.set(items);
    },
  };
}

const isSpare = (name: string) => name.startsWith(savedPrefix);

test("where the storage is full, the largest texts of tabs make room for what has to be kept", async () => {
  const area = createBounded(1000);
  const stored = createStored(area, isSpare);
  for (const [name, size] of [
    ["saved:1", 300],
    ["saved:2", 400],
    ["grants", 100],
  ] as const) {
    await stored.change(name, () => "x".repeat(size));
  }
  await stored.change("asks", () => "y".repeat(400));
  expect(await stored.names()).toEqual(["saved:1", "grants", "asks"]);
  await expect(stored.change("more", () => "z".repeat(900))).rejects.toThrow("quota");
  expect(await stored.names()).toEqual(["grants", "asks"]);
  await stored.change("asks", () => undefined);
  expect(await stored.names()).toEqual(["grants"]);
});

test("a text is kept for the next document as long as the SDK's may be, and what is too long leaves the one before", async () => {
  const { api } = createFakeExtension();
  const saved = createSavedTexts(createStored(api.storage.session));
  const place = { tab: 1, origin: "https://shop.example", document: "d" };
  // JSON escapes each of these characters.
  const long = '"'.repeat(savedMost - "calls".length);
  saved.set(place, "calls", long);
  saved.set(place, "calls", `${long}"`);
  expect((await saved.get(place))["calls"]).toBe(long);
});
