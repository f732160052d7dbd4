import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openAiResponses } from "../model/openai-responses.ts";
import type { OutputLine, Program } from "./program.ts";

export const codex: Program = {
  id: "codex",
  title: "Codex",
  package: "@openai/codex",
  command: "codex",
  format: openAiResponses,
  toolName: (tool) => ({ name: tool, namespace: "mcp__pagewire" }),
  async setUp({ home, modelUrl }) {
    await mkdir(join(home, ".codex"), { recursive: true });
    await writeFile(join(home, ".codex", "config.toml"), settings(modelUrl));
    return { SCRIPTED_MODEL_KEY: "any" };
  },
  // It waits one second for a server, and a busy machine takes longer to start ours.
  talk: (prompt) => ["exec", "--json", "--skip-git-repo-check", "-c", "mcp_servers.pagewire.required=true", prompt],
  approve: ["--dangerously-bypass-approvals-and-sandbox"],
  read(lines) {
    const items = lines.filter(({ type }) => type === "item.completed").map(({ item }: OutputLine) => item);
    return {
      calls: items
        .filter(({ type }) => type === "mcp_tool_call")
        .map(({ tool, status }) => ({ tool, isError: status === "failed" })),
      text: items.findLast(({ type }) => type === "agent_message")?.text ?? "",
    };
  },
  list: { args: ["mcp", "list"], healthy: /pagewire .*enabled/ },
  resources: {
    list: { tool: { name: "list_mcp_resources" }, input: { server: "pagewire" } },
    read: (uri) => ({ tool: { name: "read_mcp_resource" }, input: { server: "pagewire", uri } }),
  },
  inTerminal: {
    // Its background server would outlive the terminal.
    args: ["--no-daemon"],
    ready: /Ask Codex to do anything/,
    approval: /Allow the pagewire MCP server to run tool/,
    allowed: () => ({ args: ["-c", 'mcp_servers.pagewire.default_tools_approval_mode="approve"'] }),
    form: {
      allow: ({ press }) => press("Up", /› 1\. True/),
    },
    interrupt: [],
  },
  allowSeconds: (seconds) => ({ args: ["-c", `mcp_servers.pagewire.tool_timeout_sec=${seconds}`] }),
};

/** Its analytics and its check for updates would leave this machine. */
function settings(modelUrl: string): string {
  return `model = "gpt-5"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}"
wire_api = "responses"
env_key = "SCRIPTED_MODEL_KEY"
`;
}
