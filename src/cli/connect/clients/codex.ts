import { join } from "node:path";
import { defaultLimits } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { tomlFormat } from "../config/config-format.ts";
import { shellWords } from "../../console/shell-words.ts";
import { envOptions, exportToken, fileSteps, tokenVariable } from "./client.ts";
import type { ClientDefinition, StdioServer } from "./client.ts";

const format = tomlFormat("mcp_servers");

export const codex: ClientDefinition = {
  id: "codex",
  title: "Codex",
  names: ["codex"],
  summary: "codex mcp add, ~/.codex/config.toml, or .codex/config.toml in a trusted project",
  format,
  // It reads a project's file only where the user trusts the project.
  defaultScope: "user",
  configPath: (scope, { project, homeDirectory, environment }) =>
    join(
      scope === "project" ? join(project, ".codex") : environment["CODEX_HOME"] || join(homeDirectory, ".codex"),
      "config.toml",
    ),
  needsCmd: true,
  stdioEntry,
  stdioSteps(connection) {
    const { name, stdio, stdioAnywhere, platform } = connection;
    const { command, args } = stdioAnywhere;
    const words = ["codex", "mcp", "add", name, ...envOptions(stdioAnywhere), "--", command, ...args];
    return [
      { text: "Run this, for all your projects:", code: shellWords(words, platform) },
      ...fileSteps(connection, format.snippet(name, stdioEntry(stdio))),
    ];
  },
  httpSteps(connection) {
    const { name, path, url, platform } = connection;
    const words = ["codex", "mcp", "add", name, "--url", url, "--bearer-token-env-var", tokenVariable];
    return [
      { text: "The shell that starts codex needs the token:", code: exportToken(connection) },
      { text: "Run this, for all your projects:", code: shellWords(words, platform) },
      {
        text: `Or put this into ${path}:`,
        code: format.snippet(name, { url, bearer_token_env_var: tokenVariable, ...time }),
      },
    ];
  },
  restart: "Restart Codex. It reads a project's file only if you trust the project.",
  check: (name) => [`In Codex, /mcp lists ${name} and its tools.`, `In a terminal: codex mcp get ${name}`],
};

/** Without it, Codex gives up long before the hub does. A minute more, so that the hub's word about a call comes first. */
const time = { tool_timeout_sec: defaultLimits.callTimeMost / 1000 + 60 };

/** Codex hands only a few variables on to the programs that it starts; others have to be named. */
function stdioEntry({ command, args, env, forwards }: StdioServer): JsonObject {
  return {
    command,
    args: [...args],
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(forwards.length === 0 ? {} : { env_vars: [...forwards] }),
    ...time,
  };
}
