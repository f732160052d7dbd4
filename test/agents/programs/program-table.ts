import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot-cli.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { qwenCode } from "./qwen-code.ts";
import type { Program } from "./program.ts";

/** Every program that is run, in the order of the reference. */
export const programTable: readonly Program[] = [claudeCode, codex, geminiCli, opencode, copilotCli, qwenCode];
