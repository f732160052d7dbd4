// A call as it is described on the command line, to be tested against a policy.
import { policyDoors } from "../../policy/index.ts";
import type { PolicySubject } from "../../policy/index.ts";
import { usageError } from "./command.ts";
import type { OptionSpecs, OptionValues } from "./command.ts";
import { requireOrigin } from "../run-hub/hub-sources.ts";

export const subjectOptions = {
  group: { type: "string", multiple: true, value: "NAME", summary: "For test: a group of the principal." },
  agent: { type: "string", value: "NAME", summary: "For test: the agent's name." },
  door: { type: "string", value: "DOOR", summary: `For test: the door: ${policyDoors.join(", ")}.` },
  origin: { type: "string", value: "ORIGIN", summary: "For test: the origin of the tool's page." },
  app: { type: "string", value: "NAME", summary: "For test: the app name of that page." },
  hint: {
    type: "string",
    multiple: true,
    value: "HINT",
    summary: "For test: an annotation of the tool, such as readOnlyHint or destructiveHint=false.",
  },
} as const satisfies OptionSpecs;

export function subjectOf(
  tool: string,
  { group, agent = "", door, origin, app, hint }: OptionValues<typeof subjectOptions>,
): Omit<PolicySubject, "principal"> {
  if (door !== undefined && !policyDoors.some((one) => one === door))
    throw usageError(`--door is one of ${policyDoors.join(", ")}, not "${door}".`);
  const groups = group.length > 0 ? group : undefined;
  const of = origin === undefined ? undefined : requireOrigin(origin);
  return { agent, door, origin: of, app, tool, groups, annotations: Object.fromEntries(hint.map(readHint)) };
}

function readHint(text: string): readonly [string, boolean] {
  const [, name = "", value = "true"] = /^(\w+Hint)(?:=(true|false))?$/.exec(text) ?? [];
  if (name === "") throw usageError(`--hint is written as readOnlyHint or readOnlyHint=false, not "${text}".`);
  return [name, value === "true"];
}
