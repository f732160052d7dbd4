import type { ExitCode } from "../common/exit-codes.ts";

/** One check's result. */
export interface Finding {
  readonly about:
    | "state"
    | "token"
    | "origins"
    | "hub"
    | "store"
    | "version"
    | "connection"
    | "pages"
    | "tabs"
    | "tools"
    | "terminals"
    | "browser"
    | "mcp"
    | "clients"
    | "programs";
  readonly state: "well" | "hint" | "warning" | "problem";
  /** The finding, as a sentence. */
  readonly message: string;
  readonly advice?: readonly string[];
  /** The program that was asked, as `connect` calls it, and the state that it told, in one word. */
  readonly client?: string;
  readonly status?: string;
  /** The exit code of the command; with problems only. */
  readonly exitCode?: ExitCode;
}

/** Something that is as it should be. */
export function well(about: Finding["about"], message: string): Finding {
  return { about, state: "well", message };
}

/** A possible explanation, not a fault. */
export function hint(about: Finding["about"], message: string, ...advice: readonly string[]): Finding {
  return { about, state: "hint", message, advice };
}

/** Something that works, but should be fixed anyway. */
export function warning(about: Finding["about"], message: string, ...advice: readonly string[]): Finding {
  return { about, state: "warning", message, advice };
}

/** Something that has to be put right. */
export function problem(
  about: Finding["about"],
  message: string,
  { advice = [], exitCode = 1 }: { readonly advice?: readonly string[]; readonly exitCode?: ExitCode } = {},
): Finding {
  return { about, state: "problem", message, advice, exitCode };
}
