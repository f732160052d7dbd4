import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openAiChat } from "../model/openai-chat.ts";
import { readMessages } from "./claude-code.ts";
import { withServerField } from "./json-setting.ts";
import type { Program } from "./program.ts";

export const qwenCode: Program = {
  id: "qwen-code",
  title: "Qwen Code",
  package: "@qwen-code/qwen-code",
  command: "qwen",
  format: openAiChat,
  toolName: (tool) => ({ name: `mcp__pagewire__${tool}` }),
  async setUp({ home, modelUrl }) {
    const folder = join(home, ".qwen");
    await mkdir(folder, { recursive: true });
    const settings = {
      security: { auth: { selectedType: "openai" } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
    };
    await writeFile(join(folder, "settings.json"), JSON.stringify(settings));
    return { OPENAI_API_KEY: "any", OPENAI_BASE_URL: modelUrl, OPENAI_MODEL: "gpt-5" };
  },
  talk: (prompt) => ["--auth-type", "openai", "--output-format", "stream-json", prompt],
  approve: ["--yolo"],
  read: readMessages,
  list: { args: ["mcp", "list"], healthy: /✓.*pagewire: .* Connected/ },
  resources: {
    read: (uri) => ({ tool: { name: "read_mcp_resource" }, input: { server_name: "pagewire", uri } }),
  },
  nameResource: (uri) => ({ prompt: `Read @pagewire:${uri} for me.` }),
  usePrompt: (prompt, argument, value) => ({ prompt: `/${prompt} --${argument}="${value}"` }),
  inTerminal: {
    // Its default mode asks a model instead of its user.
    args: ["--approval-mode", "default"],
    ready: /Type your message/,
    approval: /Allow execution of MCP tool/,
    allowed: ({ home }) => withServerField(join(home, ".qwen", "settings.json"), "trust", true),
    interrupt: [],
  },
  allowSeconds: (seconds, { home }) => withServerField(join(home, ".qwen", "settings.json"), "timeout", seconds * 1000),
};
