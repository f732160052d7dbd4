import { expect, onTestFinished, test } from "vitest";
import { AiAgent, AiMessageElement, getConfig, resetConfig } from "./index.ts";

test("importing an auto entry defines the elements, as they are or in remote mode", async () => {
  onTestFinished(resetConfig);
  await import("./auto.ts");
  expect([customElements.get("ai-agent"), customElements.get("ai-message")]).toEqual([AiAgent, AiMessageElement]);
  expect(getConfig().remote.enableRemote).toBe(false);
  await import("./auto-remote-env.ts");
  expect(getConfig().remote).toMatchObject({ enableRemote: true, remoteSettingType: "env" });
});
