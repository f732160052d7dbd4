import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gemini } from "../model/gemini.ts";
import { withServerField } from "./json-setting.ts";
import type { OutputLine, Program } from "./program.ts";

export const geminiCli: Program = {
  id: "gemini-cli",
  title: "Gemini CLI",
  package: "@google/gemini-cli",
  command: "gemini",
  format: gemini,
  toolName: (tool) => ({ name: `mcp_pagewire_${tool}` }),
  async setUp({ home, project, modelUrl }) {
    const folder = join(home, ".gemini");
    await mkdir(folder, { recursive: true });
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
    };
    await writeFile(join(folder, "settings.json"), JSON.stringify(settings));
    // As a person who trusts the project.
    await writeFile(join(folder, "trustedFolders.json"), JSON.stringify({ [project]: "TRUST_FOLDER" }));
    return { GEMINI_API_KEY: "any", GOOGLE_GEMINI_BASE_URL: modelUrl };
  },
  talk: (prompt) => ["-p", prompt, "--model", "gemini-2.5-pro", "--output-format", "stream-json"],
  approve: ["--yolo"],
  read(lines) {
    const failed = new Set(
      lines.filter(({ type, status }) => type === "tool_result" && status === "error").map(({ tool_id: id }) => id),
    );
    return {
      calls: lines
        .filter(({ type }) => type === "tool_use")
        .map(({ tool_id: id, tool_name: tool }) => ({ tool, isError: failed.has(id) })),
      text: lines
        .filter(({ type, role }: OutputLine) => type === "message" && role === "assistant")
        .map(({ content }) => content)
        .join(""),
    };
  },
  list: { args: ["mcp", "list"], healthy: /✓.*pagewire: .* Connected/ },
  resources: {
    list: { tool: { name: "list_mcp_resources" }, input: {} },
    read: (uri) => ({ tool: { name: "read_mcp_resource" }, input: { uri } }),
  },
  nameResource: (uri) => ({ prompt: `Read @pagewire:${uri} for me.` }),
  usePrompt: (prompt, argument, value) => ({ prompt: `/${prompt} --${argument}="${value}"` }),
  inTerminal: {
    args: ["--model", "gemini-2.5-pro"],
    ready: /Type your message/,
    approval: /Allow execution of MCP tool/,
    allowed: ({ home }) => withServerField(join(home, ".gemini", "settings.json"), "trust", true),
    interrupt: [],
  },
  allowSeconds: (seconds, { home }) =>
    withServerField(join(home, ".gemini", "settings.json"), "timeout", seconds * 1000),
};
