import { expect, test, vi } from "vitest";
import type { JsonObject } from "../wire/index.ts";
import { environment, makeToolbox, resultOf } from "./call.test-helper.ts";
import type { Complete } from "./definitions.ts";

function make(city: Complete = (value) => ["Berlin", "Bern", "Rome"].filter((name) => name.startsWith(value))) {
  const toolbox = makeToolbox();
  toolbox.registerPrompt({ name: "travel", get: () => "", complete: { city } });
  toolbox.registerResourceTemplate({ uriTemplate: "app://{city}", name: "c", read: () => "", complete: { city } });
  toolbox.registerResource({ uri: "app://fixed", name: "f", read: () => "" });
  toolbox.registerPrompt({ name: "plain", get: () => "" });
  return (parameters: JsonObject) => toolbox.complete(parameters, environment());
}

const prompt = { type: "ref/prompt", name: "travel" };

test("an argument of a prompt and a variable of a template are completed", async () => {
  const complete = make();
  for (const ref of [prompt, { type: "ref/resource", uri: "app://{city}" }]) {
    expect(resultOf(await complete({ ref, argument: { name: "city", value: "Ber" } }))).toEqual({
      completion: { values: ["Berlin", "Bern"], total: 2, hasMore: false },
    });
  }
});

test("a completion receives the values of the other arguments", async () => {
  const city = vi.fn<Complete>(async () => []);
  await make(city)({
    ref: prompt,
    argument: { name: "city", value: "B" },
    context: { arguments: { country: "CH" } },
  });
  expect(city).toHaveBeenCalledExactlyOnceWith("B", { country: "CH" }, expect.objectContaining({ callId: "call-1" }));
});

test("at most a hundred values are sent, with how many there are", async () => {
  const complete = make(() => Array.from({ length: 250 }, (_, index) => String(index)));
  const { completion } = resultOf(await complete({ ref: prompt, argument: { name: "city", value: "" } }));
  expect(completion).toMatchObject({ total: 250, hasMore: true });
  expect((completion as { values: string[] }).values).toHaveLength(100);
});

test("an argument without a completion has no values", async () => {
  const complete = make();
  const nobody = [
    { ref: prompt, argument: { name: "constructor", value: "" } },
    { ref: prompt, argument: { name: "country", value: "" } },
    { ref: { type: "ref/prompt", name: "plain" }, argument: { name: "city", value: "" } },
    { ref: { type: "ref/resource", uri: "app://fixed" }, argument: { name: "city", value: "" } },
  ];
  for (const parameters of nobody) {
    expect(resultOf(await complete(parameters))).toEqual({ completion: { values: [], total: 0, hasMore: false } });
  }
});

test("a completion of what is not there, or without an argument, is refused", async () => {
  const complete = make();
  const argument = { name: "city", value: "" };
  for (const ref of [
    { type: "ref/prompt", name: "nope" },
    { type: "ref/resource", uri: "app://" },
    { type: "ref/x" },
    5,
  ]) {
    expect(await complete({ ref, argument })).toMatchObject({ kind: "refused", code: "offer-not-found" });
  }
  const malformed = [
    {},
    { argument: "city" },
    { argument: { name: "city" } },
    { argument, context: { arguments: { a: 1 } } },
  ];
  for (const parameters of malformed) {
    expect(await complete({ ref: prompt, ...parameters })).toMatchObject({ code: "arguments-malformed" });
  }
});

test("a completion that throws or answers with anything but texts is a failure", async () => {
  const argument = { name: "city", value: "" };
  for (const answer of ["Bern", [1], null, {}]) {
    expect(await make(() => answer as string[])({ ref: prompt, argument })).toMatchObject({
      kind: "failed",
      code: "result-unsendable",
    });
  }
  const failing = make(() => {
    throw new Error("offline");
  });
  expect(await failing({ ref: prompt, argument })).toMatchObject({ kind: "failed", message: "offline" });
});
