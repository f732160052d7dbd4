import type { ResolvedOptions } from "../../options/options.ts";
import { version } from "../../common/version.ts";

export interface DescribeOptions {
  readonly options: Pick<ResolvedOptions, "ai" | "jwt" | "shell">;
  /** The origins whose pages may open the agent's window. */
  readonly parents: readonly string[];
  readonly demo: string | undefined;
}

/** Public facts about the hub, for its own pages. */
export function describeHub({ options: { ai, jwt, shell }, parents, demo }: DescribeOptions): object {
  return {
    version,
    mode: jwt ? "jwt" : "local",
    model: ai ? { provider: providerOf(ai), models: ai.models, isRehearsal: ai.isRehearsal } : null,
    parentOrigins: parents,
    demo: demo ?? null,
    terminals: shell !== undefined,
  };
}

function providerOf({ isRehearsal, provider }: NonNullable<ResolvedOptions["ai"]>): string {
  if (isRehearsal) return "rehearsal";
  return typeof provider === "string" ? provider : "custom";
}
