import { expect, test } from "vitest";
import { PagewireError } from "../wire/index.ts";
import { checkConfig } from "./bridge-config.ts";
import type { BridgeConfig } from "./bridge-config.ts";

const agentOrigin = "https://agent.example";

/** Why a configuration is refused. */
function refusal(config: object): string {
  try {
    checkConfig({ agentOrigin, ...config } as BridgeConfig);
  } catch (error) {
    if (PagewireError.isInstance(error) && error.code === "options-invalid") return error.message;
    throw error;
  }
  return "";
}

test.each([
  ["https://agent.example", "https://agent.example"],
  ["https://agent.example/", "https://agent.example"],
  ["https://AGENT.example:443", "https://agent.example"],
  ["http://127.0.0.1:7337", "http://127.0.0.1:7337"],
  ["http://[::1]:80/", "http://[::1]"],
])("the origin %s is %s", (given, taken) => {
  expect(checkConfig({ agentOrigin: given })).toMatchObject({ agentOrigin: taken, agentUrl: `${taken}/` });
});

test.each([
  "https://agent.example/chat",
  "https://agent.example/?session=1",
  "https://agent.example/?",
  "https://agent.example/#top",
  "https://agent.example#",
  "https://user:secret@agent.example",
])("%s is no origin, and the refusal says which one it has", (given) => {
  expect(refusal({ agentOrigin: given })).toContain('only the origin, "https://agent.example"');
});

test.each([
  "",
  "*",
  "null",
  "...",
  "agent.example",
  "//agent.example",
  "file:///agent",
  "javascript:1",
  null,
  undefined,
  7,
])("%s is refused as an origin", (given) => expect(refusal({ agentOrigin: given })).toContain('"agentOrigin"'));

test("omitted options have their defaults", () => {
  expect(checkConfig({ agentOrigin })).toMatchObject({
    agentUrl: `${agentOrigin}/`,
    heartbeatInterval: 5000,
    heartbeatTimeout: 15_000,
    autoRecover: true,
    open: "popup",
  });
  expect(checkConfig({ agentOrigin, agentUrl: "/chat?from=shop" }).agentUrl).toBe(`${agentOrigin}/chat?from=shop`);
});

test.each<[string, object]>([
  ["agentUrl", { agentUrl: "https://agent.example.evil.example/" }],
  ["agentUrl", { agentUrl: "http://agent.example/" }],
  ["agentUrl", { agentUrl: "javascript:alert(1)" }],
  ["agentUrl", { agentUrl: "https://" }],
  ["heartbeatInterval", { heartbeatInterval: 0 }],
  ["heartbeatInterval", { heartbeatInterval: Infinity }],
  ["heartbeatTimeout", { heartbeatTimeout: -1 }],
  ["heartbeatTimeout", { heartbeatTimeout: "15000" }],
  ["windowName", { windowName: "" }],
  ["windowName", { windowName: "_blank" }],
  ["open", { open: "iframe" }],
  ["windowFeatures", { windowFeatures: "popup,NoOpener" }],
  ["windowFeatures", { windowFeatures: "noreferrer" }],
])("the option %s is refused by name in %j", (name, config) => {
  expect(refusal(config)).toContain(`"${name}"`);
});
