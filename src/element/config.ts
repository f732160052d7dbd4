// The settings that all elements of a page share.
import { PagewireError } from "../wire/errors.ts";
import type { IConfig, IWritableConfig } from "./config-types.ts";

/** A check with its wording, or the checks of a group of settings. */
type Check = readonly [wanted: string, isRight: (value: unknown) => boolean] | { readonly [name: string]: Check };
type Settings = Readonly<Record<string, unknown>>;

declare const process: { readonly env: { readonly AI_REMOTE_CORE_URL?: string } };

const defaults: IConfig = Object.freeze({
  autoTrigger: true,
  triggerAttribute: "data-aitarget",
  tagNames: Object.freeze({ ai: "ai-agent", aiMessage: "ai-message" }),
  remote: Object.freeze({
    enableRemote: false,
    remoteSettingType: "config",
    remoteCoreUrl: "",
    keepConversation: "session",
  }),
});

const isFlag: Check = ["true or false", (value) => typeof value === "boolean"];
const isTagName = textLike("a custom element's name, such as `my-agent`", /^[a-z][^\sA-Z/>]*-[^\sA-Z/>]*$/);

const checks: Check = {
  autoTrigger: isFlag,
  triggerAttribute: textLike("an attribute's name", /^[^\s"'<>/=]+$/),
  tagNames: { ai: isTagName, aiMessage: isTagName },
  remote: {
    enableRemote: isFlag,
    remoteSettingType: textLike("`config` or `env`", /^(config|env)$/),
    remoteCoreUrl: textLike("a text", /^/),
    token: ["a text or a function", (value) => typeof value === "string" || typeof value === "function"],
    keepConversation: textLike("`session`, `local` or `none`", /^(session|local|none)$/),
  },
};

let current = defaults;

/** The settings as they are now. */
export function getConfig(): IConfig {
  return current;
}

/** Puts every setting back to its default. */
export function resetConfig(): void {
  current = defaults;
}

/** Changes the settings that are given, or throws and changes none. */
export function setConfig(changes: IWritableConfig): void {
  current = merge(current as unknown as Settings, changes, { check: checks, path: "" }) as unknown as IConfig;
}

/** The address of the servers' cores. */
export function getRemoteCoreUrl(): string {
  if (current.remote.remoteSettingType === "config") return current.remote.remoteCoreUrl;
  return ofEnvironment() ?? (globalThis as { AI_REMOTE_CORE_URL?: string }).AI_REMOTE_CORE_URL ?? "";
}

function ofEnvironment(): string | undefined {
  try {
    // Exactly this expression, because bundlers replace it.
    return process.env.AI_REMOTE_CORE_URL;
  } catch {
    return undefined;
  }
}

function merge(before: Settings, changes: unknown, { check, path }: { check: Check; path: string }): Settings {
  if (typeof changes !== "object" || changes === null) throw invalid(path || "the configuration", "an object", changes);
  const after: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(changes)) {
    const here = path === "" ? name : `${path}.${name}`;
    const next = Object.hasOwn(check, name) ? (check as Record<string, Check>)[name] : undefined;
    if (next === undefined) throw new PagewireError("options-invalid", `bootstrapAi knows no setting "${here}".`);
    if (!isLeaf(next)) after[name] = merge(before[name] as Settings, value, { check: next, path: here });
    else if (next[1](value)) after[name] = value;
    else throw invalid(here, next[0], value);
  }
  return Object.freeze(after);
}

function isLeaf(check: Check): check is Extract<Check, readonly unknown[]> {
  return Array.isArray(check);
}

function invalid(name: string, wanted: string, value: unknown): PagewireError {
  const got = typeof value === "string" ? `"${value}"` : String(value);
  return new PagewireError("options-invalid", `bootstrapAi: ${name} must be ${wanted}, got ${got}.`);
}

function textLike(wanted: string, pattern: RegExp): Check {
  return [wanted, (value) => typeof value === "string" && pattern.test(value)];
}
