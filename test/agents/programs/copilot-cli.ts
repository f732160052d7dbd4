import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openAiChat } from "../model/openai-chat.ts";
import { withServerField } from "./json-setting.ts";
import type { Program } from "./program.ts";

export const copilotCli: Program = {
  id: "copilot-cli",
  title: "Copilot CLI",
  package: "@github/copilot",
  command: "copilot",
  format: openAiChat,
  toolName: (tool) => ({ name: `pagewire-${tool}` }),
  async setUp({ home, project, modelUrl }) {
    const folder = join(home, ".copilot");
    await mkdir(folder, { recursive: true });
    // As a person who trusts the project.
    await writeFile(join(folder, "config.json"), JSON.stringify({ trusted_folders: [project] }));
    return {
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_BASE_URL: modelUrl,
      COPILOT_MODEL: "gpt-5",
    };
  },
  talk: (prompt) => ["-p", prompt, "--no-color", "--output-format", "json"],
  approve: ["--allow-all-tools"],
  read(lines) {
    const of = (type: string) => lines.filter((line) => line.type === type).map(({ data }) => data);
    const failed = new Set(
      of("tool.execution_complete").flatMap(({ success, toolCallId: id }) => (success ? [] : [id])),
    );
    return {
      calls: of("tool.execution_start").map(({ toolName: tool, toolCallId: id }) => ({
        tool,
        isError: failed.has(id),
      })),
      text: of("assistant.message").at(-1)?.content ?? "",
    };
  },
  list: { args: ["mcp", "get", "pagewire"], healthy: /Status: Enabled/ },
  inTerminal: {
    args: [],
    ready: /\/ commands/,
    approval: /Do you want to use this tool\?/,
    allowed: () => ({ args: ["--allow-tool", "pagewire"] }),
    form: {
      fill: ({ type }, digit) => type(digit),
      allow: ({ press }) => press("Up", /❯ Yes/),
    },
    interrupt: [/esc again/i],
  },
  allowSeconds: (seconds, { home }) =>
    withServerField(join(home, ".copilot", "mcp-config.json"), "timeout", seconds * 1000),
};
