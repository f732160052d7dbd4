import type { AiHttpError, AiMessage, AiNotSaved, AiToolCallState, AiUsage } from "../ai/index.ts";
import { reviveError } from "../bindable/engine.ts";

/** The values of a server's core; a core's initial values before the first message. */
export class RemoteValues {
  content = "";
  usage: AiUsage | null = null;
  loading = false;
  streaming = false;
  error: AiHttpError | Error | null = null;
  reasoning = "";
  object: unknown = null;
  toolCalls: AiToolCallState[] = [];
  notSaved: AiNotSaved | null = null;
  #messages: AiMessage[] = [];

  /** A copy for the reader, like AiCore's. */
  get messages(): AiMessage[] {
    return structuredClone(this.#messages);
  }

  set messages(messages: AiMessage[]) {
    this.#messages = messages;
  }
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isObject: Check = (value) => typeof value === "object" && value !== null;
const isObjectOrNull: Check = (value) => typeof value === "object";
const isContent: Check = (value) => isText(value) || (Array.isArray(value) && value.every(isObject));

const checks: Record<keyof RemoteValues, Check> = {
  content: isText,
  messages: listOf({ role: isText, content: isContent }),
  usage: isObjectOrNull,
  loading: isFlag,
  streaming: isFlag,
  error: isObjectOrNull,
  reasoning: isText,
  object: () => true,
  notSaved: isObjectOrNull,
  toolCalls: listOf({ id: isText, name: isText, arguments: isText, status: isText }),
};

/** Parses a server's value of a property; undefined where it is malformed. */
export function readRemoteValue(name: keyof RemoteValues, value: unknown): unknown {
  if (!checks[name](value)) return undefined;
  if (value instanceof Error) return value;
  return (name === "error" ? reviveError(value) : undefined) ?? structuredClone(value);
}

export function isRemoteName(name: string): name is keyof RemoteValues {
  return Object.hasOwn(checks, name);
}

function listOf(fields: Readonly<Record<string, Check>>): Check {
  const isItem: Check = (item) =>
    isObject(item) &&
    Object.entries(fields).every(([name, check]) => check((item as Readonly<Record<string, unknown>>)[name]));
  return (value) => Array.isArray(value) && value.every(isItem);
}
