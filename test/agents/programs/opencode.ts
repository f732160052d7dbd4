import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openAiChat } from "../model/openai-chat.ts";
import { withServerField } from "./json-setting.ts";
import type { OutputLine, Program } from "./program.ts";

export const opencode: Program = {
  id: "opencode",
  title: "opencode",
  package: "opencode-ai",
  command: "opencode",
  format: openAiChat,
  toolName: (tool) => ({ name: `pagewire_${tool}` }),
  async setUp({ home, modelUrl }) {
    const folder = join(home, ".config", "opencode");
    await mkdir(folder, { recursive: true });
    const scripted = {
      npm: "@ai-sdk/openai-compatible",
      name: "scripted",
      options: { baseURL: modelUrl, apiKey: "any" },
      models: {
        scripted: { name: "scripted", tool_call: true, modalities: { input: ["text", "image"], output: ["text"] } },
      },
    };
    const config = { model: "scripted/scripted", autoupdate: false, share: "disabled", provider: { scripted } };
    await writeFile(join(folder, "opencode.json"), JSON.stringify(config));
    return { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };
  },
  talk: (prompt) => ["run", "--format", "json", prompt],
  approve: ["--auto"],
  read(lines) {
    const parts = lines.map(({ part }: OutputLine) => part ?? {});
    return {
      calls: parts
        .filter(({ type }) => type === "tool")
        .map(({ tool, state }) => ({ tool, isError: state?.status === "error" })),
      text: parts
        .filter(({ type }) => type === "text")
        .map(({ text }) => text)
        .join(""),
    };
  },
  list: { args: ["mcp", "list"], healthy: /✓ pagewire.*connected/ },
  resources: {
    list: { tool: { name: "list_mcp_resources" }, input: { server: "pagewire" } },
    read: (uri) => ({ tool: { name: "read_mcp_resource" }, input: { server: "pagewire", uri } }),
  },
  usePrompt: (prompt, _, value) => ({ args: ["--command", `pagewire:${prompt}`], prompt: value }),
  inTerminal: {
    args: [],
    ready: /Ask anything/,
    allowed: () => ({}),
    interrupt: [/esc again to interrupt/],
  },
  allowSeconds: (seconds, { project }) => withServerField(join(project, "opencode.json"), "timeout", seconds * 1000),
};
