import { expect, test } from "vitest";
import { targetsOf } from "./targets.ts";

const tab: Parameters<typeof targetsOf>[0] = {
  ...{ tabId: "tab", app: "shop", origin: "https://shop.example", title: "Shop", url: "https://shop.example/" },
  ...{ isActive: true, state: "connected", lastSeen: "", via: "socket", since: "" },
  tools: [
    { name: "find", inputSchema: { type: "object" }, annotations: { destructiveHint: true, readOnlyHint: true } },
  ],
  resources: [{ uri: "shop://all", name: "All" }],
  resourceTemplates: [{ uriTemplate: "shop://{part}/{id}", name: "One" }],
  prompts: [{ name: "sum", arguments: [{ name: "of", required: true }, { name: "by" }] }],
};

test("each thing that a tab offers has its call", () => {
  const [tool, resource, template, prompt] = targetsOf(tab);
  expect(tool?.callWith({ id: 1 })).toEqual({ method: "tools/call", name: "find", tabId: "tab", arguments: { id: 1 } });
  expect(resource?.callWith({})).toMatchObject({ method: "resources/read", name: "shop://all" });
  expect(template?.callWith({ part: "a/b", id: "1" }).name).toBe("shop://a%2Fb/1");
  expect(prompt?.schema["required"]).toEqual(["of"]);
  expect(prompt?.callWith({ of: "x" })).toMatchObject({ method: "prompts/get", name: "sum", arguments: { of: "x" } });
});

test("a tool that only reads is not destructive, even if it says so", () => {
  expect(targetsOf(tab)[0]).toMatchObject({ isDestructive: false, isReadOnly: true });
});
