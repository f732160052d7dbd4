import { expectTypeOf, test } from "vitest";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../toolbox/index.ts";
import type { JsonObject } from "../wire/index.ts";
import type { AgentBridge } from "./agent-bridge.ts";
import type { BridgeConfig } from "./bridge-config.ts";
import type { ConnectionState } from "./bridge-states.ts";

declare const bridge: AgentBridge;

test("a handler without a type accepts any JSON, and one with a type accepts that", () => {
  bridge.onToolCall("one", async (args, { signal }) => {
    expectTypeOf(args).toEqualTypeOf<JsonObject>();
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    const { days } = args;
    return { days };
  });
  bridge.onToolCall("two", ({ days }: { days: number }) => days * 2);
  bridge.onToolCall<{ days: number }>("three", ({ days }) => days * 2);
  // @ts-expect-error -- the schema says what a tool takes, and it is an object.
  bridge.onToolCall("four", (days: number) => days);
});

test("a list of tools with different parameters needs no types", () => {
  const tools = [
    { name: "one", description: "", parameters: { type: "object", properties: {}, required: [] } },
    {
      name: "two",
      description: "",
      parameters: { type: "object", properties: { days: { type: "number" } }, required: ["days"] },
    },
  ];
  bridge.registerTools(tools);
});

test("a callback may use the reason, or ignore it", () => {
  const config: BridgeConfig = {
    agentOrigin: "https://agent.example",
    toolbox: createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator }),
    onConnectionChange: (state, previousState) => [state, previousState],
    onSessionRecovered: (window) => window.focus(),
  };
  expectTypeOf<Parameters<NonNullable<BridgeConfig["onConnectionChange"]>>[0]>().toEqualTypeOf<ConnectionState>();
  expectTypeOf(config.open).toEqualTypeOf<"popup" | "tab" | undefined>();
});
