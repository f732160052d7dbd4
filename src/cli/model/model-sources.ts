// Where a hub's model may come from: by which words it is asked for, and in which variables its key is looked for.
import type { AiOptions } from "../../hub/index.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** An API that needs a key. The first of several variables that is set counts. */
export interface ModelSource {
  readonly word: string;
  readonly otherWord?: string;
  readonly provider: AiOptions["provider"];
  readonly key: readonly string[];
  /** The variable with the API's address; needed where the API has no address of its own. */
  readonly address?: { readonly variable: string; readonly isNeeded?: true };
  readonly version?: readonly string[];
  /** Which model is meant by whoever names none: a name, or the variables that hold it. Models come and go: `--model` wins. */
  readonly model: string | readonly string[];
}

const openAi = {
  key: ["OPENAI_API_KEY"],
  address: { variable: "OPENAI_BASE_URL" },
  model: "gpt-5.4-mini",
} as const;

/** In the order in which a key is looked for. */
export const modelSources: readonly ModelSource[] = [
  { word: "openai", provider: "openai", ...openAi },
  {
    word: "anthropic",
    provider: "anthropic",
    key: ["ANTHROPIC_API_KEY"],
    address: { variable: "ANTHROPIC_BASE_URL" },
    model: "claude-haiku-4-5",
  },
  {
    word: "google",
    otherWord: "gemini",
    provider: "google",
    key: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    address: { variable: "GOOGLE_GEMINI_BASE_URL" },
    model: "gemini-flash-latest",
  },
  {
    word: "azure-openai",
    otherWord: "azure",
    provider: "azure-openai",
    key: ["AZURE_OPENAI_API_KEY"],
    address: { variable: "AZURE_OPENAI_ENDPOINT", isNeeded: true },
    version: ["AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"],
    model: ["AZURE_OPENAI_DEPLOYMENT", "AZURE_OPENAI_DEPLOYMENT_NAME"],
  },
  { word: "openai-responses", provider: "openai-responses", ...openAi },
];

/** The first of some variables that holds something. */
export function firstSet(names: readonly string[], environment: Environment): readonly [string, string] | undefined {
  for (const name of names) {
    const value = environment[name]?.trim();
    if (value) return [name, value];
  }
  return undefined;
}

/** How Pagewire's providers take an address that is written for a vendor's own library. */
export function baseUrlOf(address: string): string {
  return address.replace(/\/+$/, "").replace(/\/v1$/, "");
}
