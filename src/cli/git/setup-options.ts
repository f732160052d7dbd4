import { commonOptions } from "../command.ts";
import type { OptionSpecs } from "../command.ts";

/** The options of `pagewire git-credential setup`. */
export const setupOptions = {
  global: { type: "boolean", summary: "setup: write into your own git config, as it does anyway." },
  local: { type: "boolean", summary: "setup: write into the git config of this repository." },
  host: { type: "string", value: "URL", summary: "setup: for this host only, such as https://git.example.com" },
  "use-http-path": { type: "boolean", summary: "setup: tell accounts apart by repository, not by host alone." },
  print: { type: "boolean", summary: "setup: show what it would write, and write nothing." },
  ...commonOptions,
} as const satisfies OptionSpecs;
