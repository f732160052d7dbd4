import { hubOptions } from "../common/command.ts";
import type { OptionSpecs } from "../common/command.ts";
import { subjectOptions } from "../common/policy-subject.ts";

export const teamOptions = {
  scope: { type: "string", multiple: true, value: "SCOPE", summary: "services make: tools, tools:destructive, admin." },
  expires: {
    type: "string",
    value: "TIME",
    summary: "services make, rotate: how long the key is good; 90d by default.",
  },
  "keep-old": { type: "string", value: "TIME", summary: "services rotate: how long earlier keys stay good; else 0." },
  model: { type: "string", multiple: true, value: "NAME", summary: "model set: a model that people may ask for." },
  "key-file": { type: "string", value: "FILE", summary: "model set: the provider's key; - for stdin." },
  "base-url": {
    type: "string",
    value: "URL",
    summary: "model set: the provider's address, if it is not the usual one.",
  },
  replaces: {
    type: "string",
    value: "DIGEST",
    summary: "policy, quotas, budgets: change them only if this is still their digest.",
  },
  follow: { type: "boolean", summary: "audit: go on with what happens from now on, until Ctrl-C." },
  principal: { type: "string", value: "NAME", summary: "policy test: whose call it is; yours by default." },
  ...subjectOptions,
  ...hubOptions,
} as const satisfies OptionSpecs;

/** The options of single actions; all others are for each. */
const ownOptions: Readonly<Record<string, readonly string[]>> = {
  "services make <name>": ["scope", "expires"],
  "services rotate <name>": ["expires", "keep-old"],
  "audit list": ["follow"],
  "policy set <name>": ["replaces"],
  "policy remove": ["replaces"],
  "quotas set <name>": ["replaces"],
  "budgets set <name>": ["replaces"],
  "model set <name>": ["model", "key-file", "base-url"],
  "policy test <name>": ["principal", ...Object.keys(subjectOptions)],
};

/** The options that this action has no use for. */
export function strayOptions(action: string, values: Readonly<Record<string, unknown>>): readonly string[] {
  const [own = [], others] = [ownOptions[action], new Set(Object.values(ownOptions).flat())];
  const isGiven = (value: unknown) =>
    value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
  return Object.keys(values).filter((name) => others.has(name) && !own.includes(name) && isGiven(values[name]));
}
