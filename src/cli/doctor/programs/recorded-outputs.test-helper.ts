// The output of real programs, as each printed it in this state: Claude Code 2.1.332, Codex 0.171.0, Gemini CLI 0.61.0,
// opencode 1.18.33, Copilot CLI 1.0.102, Qwen Code 0.24.4. `test/agents` runs the programs themselves.

const claude = (status: string, issue = "") => `pagewire:
  Scope: Project config (shared via .mcp.json)
  Status: ${status}
${issue}  Type: stdio
  Command: npx
  Args: -y pagewire mcp

To remove this server, run: claude mcp remove pagewire -s project
`;

const codex = (enabled: boolean) => `{
  "name": "pagewire",
  "enabled": ${enabled},
  "disabled_reason": null,
  "transport": {
    "type": "stdio",
    "command": "npx",
    "args": [
      "-y",
      "pagewire",
      "mcp"
    ],
    "env": null,
    "env_vars": [],
    "cwd": null
  },
  "enabled_tools": null,
  "disabled_tools": null,
  "startup_timeout_sec": null,
  "tool_timeout_sec": null
}
`;

const codexWarning =
  'WARNING: proceeding, even though we could not create PATH aliases: Refusing to create helper binaries under temporary dir "/tmp" (codex_home: AbsolutePathBuf("/tmp/x"))\n';

const gemini = (mark: string, state: string) =>
  `Configured MCP servers:\n\n${mark} pagewire: npx -y pagewire mcp (stdio) - ${state}\n`;

const geminiUntrusted = `Warning: MCP servers are configured but disabled because this folder is untrusted.
User-level servers are also suppressed in untrusted folders to prevent accidental side-effects.

`;

const opencode = (mark: string, state: string, why = "") => `\u001b[0m
┌  MCP Servers
│
●  ${mark} pagewire \u001b[90m${state}
${why && `│      ${why}\n`}│      \u001b[90mnpx -y pagewire mcp
│
└  1 server(s)

`;

const copilot = (enabled: boolean, tools = '\n      "*"\n    ') => `{
  "pagewire": {
    "tools": [${tools}],
    "type": "local",
    "command": "npx",
    "args": [
      "-y",
      "pagewire",
      "mcp"
    ],
    "source": "user",
    "enabled": ${enabled}
  }
}
`;

const qwen = (mark: string, state: string) =>
  `Configured MCP servers:\n\u001b[3${mark}\u001b[0m pagewire: npx -y pagewire mcp (stdio) - ${state}\n`;

/** A client, its command's output, and what the doctor makes of it: the status, and the finding with its advice. */
export const recordedOutputs: readonly (readonly [client: string, output: string, status: string, finding: string])[] =
  [
    ["claude-code", claude("✔ Connected"), "connected", "well: Claude Code says that pagewire is connected."],
    [
      "claude-code",
      claude("⏸ Pending approval (run `claude` to approve)"),
      "pending",
      "hint: Claude Code has not been allowed to use pagewire yet. -> Start claude in this folder, and approve the server when it asks.",
    ],
    [
      "claude-code",
      claude("✘ Rejected (see disabledMcpjsonServers in settings)"),
      "rejected",
      "hint: Claude Code was told not to use pagewire in this folder. -> In claude, open /mcp and enable the server; or take its name out of disabledMcpjsonServers in the settings.",
    ],
    [
      "claude-code",
      claude("✘ Failed to connect", "  Issue: ENOENT: no such file or directory, posix_spawn '/nope/node'\n"),
      "failed",
      "warning: Claude Code could not connect to pagewire: ENOENT: no such file or directory, posix_spawn '/nope/node'. -> Rewrite its entry with: npx pagewire connect claude-code --write -> Ask it yourself: claude mcp get pagewire",
    ],
    [
      "claude-code",
      'No MCP server named "pagewire". Configured servers: other\n',
      "missing",
      "hint: Claude Code does not know pagewire, although PATH names it. -> Rewrite its entry with: npx pagewire connect claude-code --write -> Ask it yourself: claude mcp get pagewire",
    ],
    [
      "codex",
      codexWarning + codex(true),
      "enabled",
      "well: Codex has pagewire switched on. It starts it in a conversation only.",
    ],
    [
      "codex",
      codexWarning + codex(false),
      "disabled",
      "hint: Codex has pagewire switched off. -> Set enabled = true in its table, or take that line out.",
    ],
    [
      "codex",
      `${codexWarning}Error: No MCP server named 'pagewire' found.\n`,
      "untrusted",
      "hint: Codex does not trust this folder, and does not use pagewire in it. -> Start codex in this folder, and trust it when it asks; it reads the project's file only then.",
    ],
    [
      "codex",
      `${codexWarning}Error: failed to load bootstrap configuration\n\nCaused by:\n    0: config.toml:5:8: unclosed table, expected \`]\`\n`,
      "unclear",
      "hint: Codex did not say how pagewire is: failed to load bootstrap configuration. -> Ask it yourself: codex mcp get pagewire --json",
    ],
    ["gemini-cli", gemini("✓", "Connected"), "connected", "well: Gemini CLI says that pagewire is connected."],
    [
      "gemini-cli",
      geminiUntrusted + gemini("○", "Disabled"),
      "untrusted",
      "hint: Gemini CLI does not trust this folder, and does not use pagewire in it. -> Start gemini in this folder, and trust it when it asks, or type /permissions trust.",
    ],
    [
      "gemini-cli",
      gemini("⛔", "Blocked"),
      "disabled",
      "hint: Gemini CLI has pagewire switched off: its settings exclude it. -> Take it out of mcp.excluded in its settings, or run: gemini mcp enable pagewire",
    ],
    [
      "gemini-cli",
      gemini("✗", "Disconnected"),
      "failed",
      "warning: Gemini CLI could not connect to pagewire. -> Rewrite its entry with: npx pagewire connect gemini-cli --write --project . -> Ask it yourself: gemini mcp list",
    ],
    ["opencode", opencode("✓", "connected"), "connected", "well: opencode says that pagewire is connected."],
    [
      "opencode",
      opencode("○", "disabled"),
      "disabled",
      'hint: opencode has pagewire switched off. -> Take "enabled": false out of its entry.',
    ],
    [
      "opencode",
      opencode("✗", "failed", "ENOENT: no such file or directory, posix_spawn '/nope/x'"),
      "failed",
      "warning: opencode could not connect to pagewire: ENOENT: no such file or directory, posix_spawn '/nope/x'. -> Rewrite its entry with: npx pagewire connect opencode --write -> Ask it yourself: opencode mcp list",
    ],
    [
      "copilot-cli",
      copilot(true),
      "enabled",
      "well: Copilot CLI has pagewire switched on. It starts it in a conversation only.",
    ],
    [
      "copilot-cli",
      copilot(false),
      "disabled",
      'hint: Copilot CLI has pagewire switched off. -> Run: copilot mcp enable pagewire. Its entry needs "tools": ["*"], too.',
    ],
    [
      "copilot-cli",
      'Error: Server "pagewire" not found.\n\nAvailable servers:\n  other\n',
      "missing",
      "hint: Copilot CLI does not know pagewire, although PATH names it. -> Rewrite its entry with: npx pagewire connect copilot-cli --write --project . -> Ask it yourself: copilot mcp get pagewire --json",
    ],
    ["qwen-code", qwen("2m✓", "Connected"), "connected", "well: Qwen Code says that pagewire is connected."],
    [
      "qwen-code",
      qwen("3m●", "Pending approval"),
      "pending",
      "hint: Qwen Code has not been allowed to use pagewire yet. -> Run: qwen mcp approve pagewire",
    ],
    [
      "qwen-code",
      qwen("1m✗", "Disconnected"),
      "failed",
      "warning: Qwen Code could not connect to pagewire. -> Rewrite its entry with: npx pagewire connect qwen-code --write -> Ask it yourself: qwen mcp list",
    ],
    [
      "qwen-code",
      "What is mcp?\n",
      "unclear",
      "hint: Qwen Code did not say how pagewire is: What is mcp?. -> Ask it yourself: qwen mcp list",
    ],
  ];
