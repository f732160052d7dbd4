import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot-cli.ts";
import { opencode } from "./opencode.ts";
import type { Program } from "./program.ts";
import { geminiCli, qwenCode } from "./settings-program.ts";

/** The programs that have a command about the health of a server. */
export const programTable: readonly Program[] = [claudeCode, codex, geminiCli, opencode, copilotCli, qwenCode];
