import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { anthropic } from "../model/anthropic.ts";
import type { OutputLine, Program, ToldConversation } from "./program.ts";

export const claudeCode: Program = {
  id: "claude-code",
  title: "Claude Code",
  package: "@anthropic-ai/claude-code",
  command: "claude",
  format: anthropic,
  toolName: (tool) => ({ name: `mcp__pagewire__${tool}` }),
  async setUp({ home, project, modelUrl }) {
    // As a person who trusts the project and approves the server of its .mcp.json.
    const approved = { hasTrustDialogAccepted: true, enabledMcpjsonServers: ["pagewire"] };
    const state = { hasCompletedOnboarding: true, projects: { [project]: approved } };
    await writeFile(join(home, ".claude.json"), JSON.stringify(state));
    return {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_AUTH_TOKEN: "any",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
    };
  },
  talk: (prompt) => ["-p", prompt, "--output-format", "stream-json", "--verbose"],
  approve: ["--allowedTools", "mcp__pagewire"],
  read: readMessages,
  list: { args: ["mcp", "list"], healthy: /pagewire: .*✔ Connected/ },
  resources: {
    list: { tool: { name: "ListMcpResourcesTool" }, input: { server: "pagewire" } },
    read: (uri) => ({ tool: { name: "ReadMcpResourceTool" }, input: { server: "pagewire", uri } }),
  },
  nameResource: (uri) => ({ prompt: `Read @pagewire:${uri} for me.` }),
  usePrompt: (prompt, _, value) => ({ prompt: `/mcp__pagewire__${prompt} ${value}` }),
  inTerminal: {
    // Its default mode asks a server of its vendor's instead of its user.
    args: ["--permission-mode", "default"],
    ready: /manual mode on/,
    approval: /Do you want to proceed\?/,
    allowed: () => ({ args: ["--allowedTools", "mcp__pagewire"] }),
    form: {
      async fill({ type, press }, digit) {
        await type(digit);
        await press("Enter", /❯ Accept/);
      },
      async allow({ press }) {
        await press("Space", /Allow this call: ☒/);
        await press("Down", /❯ Accept/);
      },
    },
    interrupt: [],
  },
  allowSeconds: (seconds) => ({ variables: { MCP_TOOL_TIMEOUT: String(seconds * 1000) } }),
};

/** The messages of its machine format, which others have taken over. */
export function readMessages(lines: readonly OutputLine[]): ToldConversation {
  const parts = lines.flatMap(({ message }) => (Array.isArray(message?.content) ? message.content : []));
  const failed = new Set(parts.filter((part: OutputLine) => part.is_error).map((part: OutputLine) => part.tool_use_id));
  return {
    calls: parts
      .filter(({ type }: OutputLine) => type === "tool_use")
      .map(({ id, name }: OutputLine) => ({ tool: name, isError: failed.has(id) })),
    text: lines.find(({ type }) => type === "result")?.result ?? "",
  };
}
