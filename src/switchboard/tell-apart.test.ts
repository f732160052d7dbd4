import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tellApart } from "./tell-apart.ts";
import type { Variant } from "./tell-apart.ts";

const shop = "https://shop.example";
const bank = "https://bank.example";

function variant(name: string, more: Partial<Variant<object>> = {}): Variant<object> {
  return { name, origin: shop, app: "shop", item: { name, ...more.item }, ...more };
}

function namesOf(...variants: readonly Variant<object>[]): readonly string[] {
  const named = [...tellApart(variants)];
  return variants.map((each) => named.find(([, other]) => other === each)?.[0] ?? "none");
}

describe("names", () => {
  test("B60: a name of a single app stays plain", () => {
    expect(namesOf(variant("buy"), variant("sell", { app: "bank", origin: bank }))).toEqual(["buy", "sell"]);
  });

  test("B60: a name of two apps belongs to neither; each gets the name of its app as a prefix", () => {
    const names = namesOf(variant("buy"), variant("buy", { app: "My Bank", origin: bank }));
    expect(names).toEqual(["shop__buy", "My-Bank__buy"]);
  });

  test("B60: two origins with the same app name are distinguished by a suffix", () => {
    const names = namesOf(variant("buy"), variant("buy", { origin: bank }));
    expect(names).toEqual([expect.stringMatching(/^shop__buy__\w{8}$/), expect.stringMatching(/^shop__buy__\w{8}$/)]);
    expect(new Set(names).size).toBe(2);
  });

  test("B60: a plain name that reads like another app's full name gets its own app's prefix, so it never means the other", () => {
    const pay = variant("pay");
    const others = [variant("pay", { app: "bank", origin: bank }), variant("pay", { origin: bank })];
    for (const other of others) {
      const [full] = namesOf(pay, other);
      const stranger = variant(full ?? "", { app: "evil", origin: "https://evil.example" });
      expect(namesOf(pay, other, stranger)).toEqual([...namesOf(pay, other), `evil__${full}`]);
      // Also before the other one came: a client may have listed then.
      expect(namesOf(pay, variant("shop__pay", { app: "evil", origin: bank }))).toEqual(["pay", "evil__shop__pay"]);
    }
  });

  test("B60: two versions of one app's tool are distinguished by a constant suffix", () => {
    const both = [variant("buy", { item: { version: 1 } }), variant("buy", { item: { version: 2 } })] as const;
    expect(namesOf(...both)).toEqual([...namesOf(both[1], both[0])].reverse());
    expect(new Set(namesOf(...both)).size).toBe(2);
  });

  test("B60: a tool whose own name reads like an app's name and a tool's takes no other tool's name", () => {
    const names = namesOf(variant("shop__buy", { app: "evil" }), variant("buy"), variant("buy", { app: "bank" }));
    expect(names).toEqual(["evil__shop__buy", "shop__buy", "bank__buy"]);
  });

  test("B60: an app whose name has no characters allowed in a tool's name is called app", () => {
    expect(namesOf(variant("buy", { app: "語" }), variant("buy", { app: "bank" }))).toEqual(["app__buy", "bank__buy"]);
  });

  test("B60: names stay within 128 characters, and unique", () => {
    const long = "x".repeat(128);
    const names = namesOf(variant(long), variant(long, { origin: bank }), variant(long, { app: "other" }));
    expect(names.every((name) => name.length <= 128)).toBe(true);
    expect(new Set([...names, "none"]).size).toBe(4);
  });

  test("B60: every item has one unique name, the same in any order of arrival", () => {
    const some = fc.record({
      name: fc.constantFrom("buy", "sell", "shop__buy", "app__buy", "x".repeat(128)),
      origin: fc.constantFrom(shop, bank),
      app: fc.constantFrom("shop", "app", "!", "Shop ", "x".repeat(60)),
      item: fc.record({ version: fc.nat(2) }),
    });
    const distinct = fc.uniqueArray(some, { selector: (each) => JSON.stringify(each), maxLength: 12 });
    const shuffled = distinct.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, ([all, inOtherOrder]) => {
        const named = tellApart(all);
        expect(named.size).toBe(all.length);
        for (const name of named.keys()) expect(name).toMatch(/^[\w.-]{1,128}$/);
        expect(new Map(tellApart(inOtherOrder))).toEqual(named);
      }),
    );
  });
});
