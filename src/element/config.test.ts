import { afterEach, expect, test, vi } from "vitest";
import { AiAgent, AiMessageElement, bootstrapAi, getConfig, getRemoteCoreUrl, resetConfig } from "./index.ts";
import type { IWritableConfig } from "./index.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  resetConfig();
});

const defaults = {
  autoTrigger: true,
  triggerAttribute: "data-aitarget",
  tagNames: { ai: "ai-agent", aiMessage: "ai-message" },
  remote: { enableRemote: false, remoteSettingType: "config", remoteCoreUrl: "", keepConversation: "session" },
};

test("on a server everything can be imported and configured; elements are not there", async () => {
  expect(globalThis.customElements).toBeUndefined();
  await import("./auto.ts");
  await import("./auto-remote-env.ts");
  expect(getConfig().remote).toMatchObject({ enableRemote: true, remoteSettingType: "env" });
  expect([AiAgent.name, AiMessageElement.name]).toEqual(["AiAgent", "AiMessageElement"]);
});

test("bootstrapAi does not change settings that are left out, and resetConfig restores the defaults", () => {
  expect(getConfig()).toEqual(defaults);
  bootstrapAi({ remote: { remoteCoreUrl: "wss://example.com/ai" }, tagNames: { ai: "my-agent" } });
  bootstrapAi({ remote: { enableRemote: true } });
  expect(getConfig()).toEqual({
    ...defaults,
    tagNames: { ai: "my-agent", aiMessage: "ai-message" },
    remote: { ...defaults.remote, enableRemote: true, remoteCoreUrl: "wss://example.com/ai" },
  });
  resetConfig();
  expect(getConfig()).toEqual(defaults);
});

test("the configuration that is read cannot be changed", () => {
  const config: { autoTrigger: boolean; remote: { enableRemote: boolean } } = getConfig();
  expect(() => (config.autoTrigger = false)).toThrow(TypeError);
  expect(() => (config.remote.enableRemote = true)).toThrow(TypeError);
  bootstrapAi({ remote: {} });
  expect(() => ((getConfig() as { remote: { enableRemote: boolean } }).remote.enableRemote = true)).toThrow(TypeError);
});

test.each<[unknown, string]>([
  [{ autoTrigger: undefined }, "autoTrigger must be true or false, got undefined."],
  [{ autoTrigger: "no" }, 'autoTrigger must be true or false, got "no".'],
  [{ triggerAttribute: "" }, 'triggerAttribute must be an attribute\'s name, got "".'],
  [{ triggerAttribute: "a b" }, "triggerAttribute must be an attribute's name"],
  [{ tagNames: { ai: "agent" } }, 'tagNames.ai must be a custom element\'s name, such as `my-agent`, got "agent".'],
  [{ tagNames: null }, "tagNames must be an object, got null."],
  [{ remote: { remoteSettingType: "file" } }, 'remote.remoteSettingType must be `config` or `env`, got "file".'],
  [{ remote: { remoteCoreUrl: undefined } }, "remote.remoteCoreUrl must be a text, got undefined."],
  [{ remote: { token: 5 } }, "remote.token must be a text or a function, got 5."],
  [{ remote: { keepConversation: true } }, "remote.keepConversation must be `session`, `local` or `none`, got true."],
  [{ remote: { url: "wss://a" } }, 'bootstrapAi knows no setting "remote.url".'],
  [{ toString: 1 }, 'bootstrapAi knows no setting "toString".'],
  [5, "the configuration must be an object, got 5."],
])("a setting that is not right is refused by its name, and changes nothing: %j", (config, message) => {
  expect(() => bootstrapAi(config as IWritableConfig)).toThrow(message);
  expect(getConfig()).toEqual(defaults);
});

test("a call that is refused for one setting changes none", () => {
  expect(() => bootstrapAi({ triggerAttribute: "data-ask", remote: { keepConversation: "yes" as "none" } })).toThrow();
  expect(getConfig()).toEqual(defaults);
});

test("the address is the configured one, or the environment's, or a global variable's", () => {
  bootstrapAi({ remote: { remoteCoreUrl: "wss://example.com/ai" } });
  vi.stubEnv("AI_REMOTE_CORE_URL", "wss://environment");
  vi.stubGlobal("AI_REMOTE_CORE_URL", "wss://variable");
  expect(getRemoteCoreUrl()).toBe("wss://example.com/ai");
  bootstrapAi({ remote: { remoteSettingType: "env" } });
  expect(getRemoteCoreUrl()).toBe("wss://environment");
  vi.stubEnv("AI_REMOTE_CORE_URL", undefined);
  expect(getRemoteCoreUrl()).toBe("wss://variable");
  vi.unstubAllGlobals();
  expect(getRemoteCoreUrl()).toBe("");
});
