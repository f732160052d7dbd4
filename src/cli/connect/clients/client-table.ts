import { usageError } from "../../common/command.ts";
import { nearest } from "../../common/nearest.ts";
import { claudeCode } from "./claude-code.ts";
import { claudeDesktop } from "./claude-desktop.ts";
import type { ClientDefinition } from "./client.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot-cli.ts";
import { cursor } from "./cursor.ts";
import { lmStudio, windsurf, zed } from "./desktop-apps.ts";
import { geminiCli } from "./gemini-cli.ts";
import { inspector } from "./inspector.ts";
import { opencode } from "./opencode.ts";
import { qwenCode } from "./qwen-code.ts";
import { vscode } from "./vscode.ts";

/** Every client that can be connected, in the order of the help. */
export const clientTable: readonly ClientDefinition[] = [
  claudeCode,
  claudeDesktop,
  cursor,
  vscode,
  codex,
  geminiCli,
  opencode,
  copilotCli,
  qwenCode,
  windsurf,
  zed,
  lmStudio,
  inspector,
];

/** The client of this name; throws what there is, and what was probably meant. */
export function findClient(name: string): ClientDefinition {
  const found = clientTable.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const known = clientTable.map(({ id }) => id);
  const meant = nearest(name, known);
  const next = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  throw usageError(`There is no client "${name}". Known are: ${known.join(", ")}.${next}`);
}
