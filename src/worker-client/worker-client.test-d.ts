import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { WorkerClient } from "./worker-client.ts";

const client = new WorkerClient();

test("a handler's arguments have the type of its schema, and its answer that of its output schema", () => {
  const tea = { type: "object", properties: { grams: { type: "number" } }, required: ["grams"] } as const;
  void client.registerTool("weigh", "Weighs.", tea, ({ grams }, { signal }) => {
    expectTypeOf(grams).toEqualTypeOf<number>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return grams;
  });
  void client.registerTool("check", undefined, z.object({ email: z.string() }), (input) => {
    expectTypeOf(input).toEqualTypeOf<{ email: string }>();
  });
  void client.registerTool("count", "", undefined, () => ({ grams: 5 }), { outputSchema: tea });
  // @ts-expect-error -- the answer does not match the output schema.
  void client.registerTool("count", "", undefined, () => ({ grams: "5" }), { outputSchema: tea });
});

test("handlers that were written for the seed's types compile", () => {
  const schema: Record<string, unknown> = {};
  const answer = async (args: unknown) => ({ content: [{ type: "text", text: JSON.stringify(args) }] });
  void client.registerTool("one", "One.", schema, answer);
  void client.registerTool("two", "Two.", schema, async (args: { readonly test: string }) => answer(args), {
    annotations: { title: "Two", readOnlyHint: true },
    _meta: {},
  });
});

test("a client is started with options, or with a registration and what is left to say", () => {
  const registration = {} as ServiceWorkerRegistration;
  void client.init();
  void client.init({ sharedWorkerUrl: "/w.js", serviceWorkerUrl: "/s.js", backendWsUrl: "ws://localhost:7337" });
  void client.init(registration);
  void client.init(registration, { backendWsUrl: "ws://localhost:7337" });
  // @ts-expect-error -- the registration is the worker.
  void client.init(registration, { sharedWorkerUrl: "/w.js" });
  expectTypeOf(client.setAuthToken).parameter(0).toEqualTypeOf<string | null>();
});
