// The attributes of the elements for JSX and templates.
import type { AiMessage, IAiProvider } from "../ai/index.ts";
import type { AgentAttributes, AgentInputs } from "./agent-properties.ts";

type Kebab<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : "";

/** Numbers may also be written as text under the attribute's name. */
type AsAttributes = {
  [Name in keyof AgentAttributes as Kebab<Name>]?: AgentAttributes[Name] extends number | undefined
    ? number | string | undefined
    : AgentAttributes[Name] extends boolean
      ? boolean | "" | "true" | "false" | undefined
      : string | undefined;
};

type AsProperties = { [Name in keyof AgentAttributes]?: AgentAttributes[Name] | undefined };
type Inputs = { [Name in keyof AgentInputs]?: AgentInputs[Name] | undefined };

/** The attributes and properties of `<ai-agent>`. */
export interface AiAgentMarkup extends AsAttributes, Omit<AsProperties, keyof AsAttributes>, Inputs {
  provider?: string | IAiProvider | undefined;
  stream?: boolean | undefined;
  "no-stream"?: boolean | "" | undefined;
  messages?: AiMessage[] | undefined;
  trigger?: boolean | undefined;
  conversation?: string | null | undefined;
}

/** The attribute of `<ai-message>`. */
export interface AiMessageMarkup {
  kind?: "system" | "user" | "assistant" | undefined;
}
