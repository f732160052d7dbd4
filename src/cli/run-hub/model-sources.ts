// The vendors' APIs that a hub finds by a key in its environment: by the names that their own libraries read.
import type { AiOptions } from "../../hub/index.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** An API that needs a key. The first of several variables that is set counts. */
export interface ModelSource {
  readonly word: string;
  readonly otherWord?: string;
  readonly provider: AiOptions["provider"];
  readonly key: readonly string[];
  /** A key made of several variables, where none of `key` is set. */
  readonly otherKey?: (environment: Environment) => readonly [variable: string, key: string] | undefined;
  /** The variable with the API's address. */
  readonly address?: { readonly variable: string; readonly isNeeded?: true };
  /** The address by other variables: what it needs, and in which variable. */
  readonly place?: {
    readonly needs: string;
    readonly variable: string;
    at(environment: Environment): string | undefined;
  };
  readonly version?: readonly string[];
  /** The default model of each provider: a name, or the variables that hold it. Models come and go: `--model` wins. */
  readonly model: string | readonly string[];
  /** Its variables are often there for other programs, so that it is not chosen by them alone. */
  readonly isOnlyAsked?: true;
}

const openAi = {
  key: ["OPENAI_API_KEY"],
  address: { variable: "OPENAI_BASE_URL" },
  model: "gpt-5.4-mini",
} as const;

const azure = {
  key: ["AZURE_OPENAI_API_KEY"],
  address: { variable: "AZURE_OPENAI_ENDPOINT", isNeeded: true },
  model: ["AZURE_OPENAI_DEPLOYMENT", "AZURE_OPENAI_DEPLOYMENT_NAME"],
} as const;

/** In the order in which keys are searched. */
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
    provider: "azure-openai",
    version: ["AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"],
    ...azure,
  },
  { word: "openrouter", provider: "openrouter", key: ["OPENROUTER_API_KEY"], model: "openrouter/auto" },
  { word: "mistral", provider: "mistral", key: ["MISTRAL_API_KEY"], model: "mistral-small-latest" },
  { word: "groq", provider: "groq", key: ["GROQ_API_KEY"], model: "openai/gpt-oss-20b" },
  { word: "deepseek", provider: "deepseek", key: ["DEEPSEEK_API_KEY"], model: "deepseek-chat" },
  { word: "xai", otherWord: "grok", provider: "xai", key: ["XAI_API_KEY"], model: "grok-4-fast" },
  { word: "together", provider: "together", key: ["TOGETHER_API_KEY"], model: "openai/gpt-oss-20b" },
  {
    word: "bedrock",
    provider: "bedrock",
    key: ["AWS_BEARER_TOKEN_BEDROCK"],
    otherKey: awsCredentials,
    address: { variable: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME" },
    place: { needs: "a region", variable: "AWS_REGION", at: bedrockAddress },
    model: "global.anthropic.claude-haiku-4-5-20251001-v1:0",
    isOnlyAsked: true,
  },
  {
    word: "vertex",
    provider: "vertex",
    key: ["GOOGLE_OAUTH_ACCESS_TOKEN", "GOOGLE_API_KEY"],
    place: { needs: "a project", variable: "GOOGLE_CLOUD_PROJECT", at: vertexAddress },
    model: "gemini-2.5-flash",
    isOnlyAsked: true,
  },
  { word: "azure", provider: "azure", ...azure, isOnlyAsked: true },
  { word: "openai-responses", provider: "openai-responses", ...openAi },
];

/** The first of some variables that holds something. */
export function firstSet(
  names: readonly string[],
  environment: Environment,
): readonly [variable: string, value: string] | undefined {
  for (const name of names) {
    const value = environment[name]?.trim();
    if (value) return [name, value];
  }
  return undefined;
}

/** As the provider takes them, with which it signs. */
function awsCredentials(environment: Environment): readonly [string, string] | undefined {
  const id = firstSet(["AWS_ACCESS_KEY_ID"], environment);
  const secret = firstSet(["AWS_SECRET_ACCESS_KEY"], environment);
  const token = firstSet(["AWS_SESSION_TOKEN"], environment);
  return id && secret && ["AWS_ACCESS_KEY_ID", [id[1], secret[1], ...(token ? [token[1]] : [])].join(":")];
}

function bedrockAddress(environment: Environment): string | undefined {
  const region = firstSet(["AWS_REGION", "AWS_DEFAULT_REGION"], environment)?.[1];
  return region && isName.test(region) ? `https://bedrock-runtime.${region}.amazonaws.com` : undefined;
}

function vertexAddress(environment: Environment): string | undefined {
  const project = firstSet(["GOOGLE_CLOUD_PROJECT"], environment)?.[1];
  const location = firstSet(["GOOGLE_CLOUD_LOCATION"], environment)?.[1] ?? "global";
  const host = location === "global" ? "aiplatform.googleapis.com" : `${location}-aiplatform.googleapis.com`;
  const areNames = project !== undefined && isName.test(project) && isName.test(location);
  return areNames ? `https://${host}/v1/projects/${project}/locations/${location}` : undefined;
}

/** Of a region or a project, such as example.com:shop: it becomes a part of an address. */
const isName = /^[a-z0-9][a-z0-9.:-]*$/;
