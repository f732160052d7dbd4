import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tellApart } from "./tell-apart.ts";
import type { Variant } from "./tell-apart.ts";

const shop = "https://shop.example";
const bank = "https://bank.example";

function variant(name: string, more: Partial<Variant<object>> = {}): Variant<object> {
  return { name, origin: shop, app: "shop", item: { name, ...more.item }, ...more };
}

/** The names that variants are given, by what they are. */
function namesOf(...variants: readonly Variant<object>[]): readonly string[] {
  const named = [...tellApart(variants)];
  return variants.map((each) => named.find(([, other]) => other === each)?.[0] ?? "none");
}

describe("names", () => {
  test("B60: a name that one app alone has stays plain", () => {
    expect(namesOf(variant("buy"), variant("sell", { app: "bank", origin: bank }))).toEqual(["buy", "sell"]);
  });

  test("B60: a name that two apps have is given to neither; each is named after its app", () => {
    const names = namesOf(variant("buy"), variant("buy", { app: "My Bank", origin: bank }));
    expect(names).toEqual(["shop__buy", "My-Bank__buy"]);
  });

  test("B60: two origins whose apps call themselves the same are told apart by a mark", () => {
    const names = namesOf(variant("buy"), variant("buy", { origin: bank }));
    expect(names).toEqual([expect.stringMatching(/^shop__buy__\w{8}$/), expect.stringMatching(/^shop__buy__\w{8}$/)]);
    expect(new Set(names).size).toBe(2);
  });

  test("B60: a plain name that reads like another app's full name is named after its own app, so it never means the other", () => {
    const pay = variant("pay");
    const others = [variant("pay", { app: "bank", origin: bank }), variant("pay", { origin: bank })];
    for (const other of others) {
      const [full] = namesOf(pay, other);
      const stranger = variant(full ?? "", { app: "evil", origin: "https://evil.example" });
      expect(namesOf(pay, other, stranger)).toEqual([...namesOf(pay, other), `evil__${full}`]);
      // Before the other came, too: a client may have listed then.
      expect(namesOf(pay, variant("shop__pay", { app: "evil", origin: bank }))).toEqual(["pay", "evil__shop__pay"]);
    }
  });

  test("B60: two versions of one app's tool are told apart by a mark that is always the same", () => {
    const both = [variant("buy", { item: { version: 1 } }), variant("buy", { item: { version: 2 } })] as const;
    expect(namesOf(...both)).toEqual([...namesOf(both[1], both[0])].reverse());
    expect(new Set(namesOf(...both)).size).toBe(2);
  });

  test("B60: a tool whose own name reads like an app's name and a tool's takes no name from another", () => {
    const names = namesOf(variant("shop__buy", { app: "evil" }), variant("buy"), variant("buy", { app: "bank" }));
    expect(names).toEqual(["evil__shop__buy", "shop__buy", "bank__buy"]);
  });

  test("B60: an app whose name has no letters that a tool's name may have is called app", () => {
    expect(namesOf(variant("buy", { app: "語" }), variant("buy", { app: "bank" }))).toEqual(["app__buy", "bank__buy"]);
  });

  test("B60: names stay within 128 characters, and apart", () => {
    const long = "x".repeat(128);
    const names = namesOf(variant(long), variant(long, { origin: bank }), variant(long, { app: "other" }));
    expect(names.every((name) => name.length <= 128)).toBe(true);
    expect(new Set([...names, "none"]).size).toBe(4);
  });

  test("B60: whatever there is, in whatever order it came, everything has one name of its own, and the same one", () => {
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
