import { expect, test } from "vitest";
import { createConversation, nextEvent, plainProvider, withoutIds } from "./model.test-helper.ts";
import { mapToolNames } from "./tool-names.ts";

test("a name that the provider takes stays as it is", () => {
  const names = mapToolNames(["look", "look-up_2"]);
  expect(["look", "look-up_2"].map(names.toWire)).toEqual(["look", "look-up_2"]);
  expect(["look", "look-up_2"].map(names.fromWire)).toEqual(["look", "look-up_2"]);
});

test.each<[string, string]>([
  ["shop.cart", "shop_cart"],
  ["shop/cart total", "shop_cart_total"],
  ["überall", "_berall"],
  ["", "_"],
  ["a".repeat(65), "a".repeat(64)],
])("the name %j becomes %j", (name, wire) => {
  const names = mapToolNames([name]);
  expect(names.toWire(name)).toBe(wire);
  expect(names.fromWire(wire)).toBe(name);
});

test("names that would become the same one are told apart, and none takes another tool's name", () => {
  const long = "b".repeat(70);
  const given = ["shop.cart", "shop cart", "shop_cart", `${long}1`, `${long}2`, "shop.cart"];
  const names = mapToolNames(given);
  const wire = given.map(names.toWire);
  expect(wire).toEqual([
    "shop_cart_2",
    "shop_cart_3",
    "shop_cart",
    "b".repeat(64),
    `${"b".repeat(62)}_2`,
    "shop_cart_2",
  ]);
  expect(wire.map(names.fromWire)).toEqual(given);
});

test("each provider has its own rule", () => {
  const names = mapToolNames(["shop.cart", "2nd", "much.too.long"], { pattern: /^[a-z_][a-z0-9_.]*$/, maxLength: 9 });
  expect(["shop.cart", "2nd", "much.too.long"].map(names.toWire)).toEqual(["shop.cart", "_2nd", "much_too_"]);
});

test("a name that no rule of the provider's can hold is refused by name", () => {
  const rule = { pattern: /^[a-z_]+$/, maxLength: 20 };
  expect(mapToolNames(["getWeather"], rule).toWire("getWeather")).toBe("getweather");
  expect(() => mapToolNames(["tool-2"], rule)).toThrow('The provider takes no name for the tool "tool-2"');
});

test("a model sees the mapped names everywhere, and everyone else the tool's own", async () => {
  const tools = [{ name: "shop.cart", description: "", parameters: { type: "object" }, handler: () => "empty" }];
  const { core, model, send } = createConversation({ tools, toolChoice: { name: "shop.cart" } });
  core.messages = [
    { role: "user", content: "Before" },
    { role: "assistant", content: "", toolCalls: [{ id: "old", name: "old.tool", arguments: "{}" }] },
    { role: "tool", content: "old result", toolCallId: "old" },
  ];
  const requested = nextEvent<{ toolCall: unknown }>(core, "tool-call-requested");
  const answer = send("Hi");
  const first = await model.next();
  expect(first.body.tools).toMatchObject([{ name: "shop_cart" }]);
  expect(first.body.toolChoice).toEqual({ name: "shop_cart" });
  expect(first.body.messages[1]?.toolCalls).toEqual([{ id: "old", name: "old_tool", arguments: "{}" }]);
  first.finish({ toolCallDeltas: [{ index: 0, id: "c0", name: "shop_cart" }] });
  const second = await model.next();
  expect(second.body.messages[4]?.toolCalls).toEqual([{ id: "c0", name: "shop_cart", arguments: "{}" }]);
  expect(second.body.messages[5]).toMatchObject({ content: "empty" });
  second.finish({ delta: "Done." });
  expect(await answer).toBe("Done.");
  expect((await requested).toolCall).toEqual({ id: "c0", name: "shop.cart", arguments: "{}" });
  expect(core.toolCalls).toMatchObject([{ name: "shop.cart" }]);
  expect(withoutIds(core.messages)[4]).toMatchObject({ toolCalls: [{ name: "shop.cart" }] });
});

test("names in the conversation are mapped also where no tools are declared", async () => {
  const { core, model, send } = createConversation();
  core.provider = { ...plainProvider, toolNames: { pattern: /^[a-z]+$/, maxLength: 3 } };
  core.messages = [{ role: "assistant", content: "", toolCalls: [{ id: "old", name: "look", arguments: "{}" }] }];
  const answer = send("Hi");
  const request = await model.next();
  expect(request.body.messages[0]?.toolCalls).toMatchObject([{ name: "loo" }]);
  expect(request.body).not.toHaveProperty("tools");
  request.finish({ delta: "Hm." });
  expect(await answer).toBe("Hm.");
});
