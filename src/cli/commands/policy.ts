import { describePolicy, describeRule, findRule, named, parsePolicy, whyNever } from "../../policy/index.ts";
import type { Policy, PolicyRule } from "../../policy/index.ts";
import type { State } from "../../state/index.ts";
import { PagewireError } from "../../wire/index.ts";
import { commonOptions, defineCommand, usageError } from "../common/command.ts";
import type { CommandContext } from "../common/command.ts";
import { table } from "../console/layout.ts";
import { noteNoHub, openOwnState } from "../reach-hub/find-hub.ts";
import { textOfFile, textOfInput } from "../common/read-arguments.ts";
import { subjectOf, subjectOptions } from "../common/policy-subject.ts";

const options = {
  principal: { type: "string", value: "NAME", summary: "For test: the principal; local by default." },
  ...subjectOptions,
  file: { type: "string", value: "FILE", summary: "For test: the policy in this file, in place of the one in force." },
  remove: { type: "boolean", summary: "For set: remove the policy." },
  ...commonOptions,
} as const;

type Context = CommandContext<typeof options>;

export const policy = defineCommand({
  name: "policy",
  summary: "Show, test or set the rules: allow, ask or deny.",
  usage: "show|test <tool>|set <file|->",
  positionals: { min: 1, max: 2 },
  options,
  notes: [
    "The rules are in policy.json of the state directory. The first that fits a call decides; where none does, the call begins. A hub that runs notices a change within a second, and goes on with the rules before where the file cannot be used.",
    "test says what would become of one call, and by which rule. What you leave out fits no rule that asks for it.",
    "set checks a file, or with - what comes in, and puts it in the place of policy.json.",
  ],
  examples: [
    "pagewire policy show",
    "pagewire policy test delete_order --origin https://shop.example --agent claude-code",
    "pagewire policy test delete_order --group interns --file new-policy.json",
    "pagewire policy set new-policy.json",
    "pagewire policy set --remove",
  ],
  async run(context) {
    const [action = ""] = context.positionals;
    const act = actions[action];
    if (!act) throw usageError(`"${action}" cannot be done to the policy. Write: npx pagewire help policy`);
    refuseStray(action, context.values);
    await act(openOwnState(context.io), context);
    return 0;
  },
});

/** Refuses options that would be ignored. */
function refuseStray(action: string, values: Context["values"]): void {
  for (const [name, value] of Object.entries(values)) {
    const isGiven = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
    const isTaken = name === "remove" ? action === "set" : action === "test" || name === "json" || name === "jq";
    if (isGiven && !isTaken) throw usageError(`--${name} is not for: npx pagewire policy ${action}`);
  }
}

const actions: Readonly<Record<string, (state: State, context: Context) => Promise<void>>> = {
  async show(state, { printer, positionals }) {
    if (positionals.length > 1) throw usageError("show takes no more words: npx pagewire policy show");
    const found = state.policy();
    if (printer.json)
      return printer.data({ path: state.policyPath, ...(found ? describePolicy(found) : { rules: null }) });
    if (!found) return printer.line(`There is no policy: ${state.policyPath} is not there. Every call may begin.`);
    const rows = found.rules.map((rule) => [rule.label, rule.decision, rule.rate?.text ?? "", whenText(rule)]);
    for (const line of table([["RULE", "DECISION", "RATE", "WHEN"], ...rows])) printer.line(line);
    printer.line();
    printer.line("What no rule fits may begin.");
    if (found.pin.length > 0) printer.line(`Tools are shown as they were first seen, of: ${found.pin.join(", ")}.`);
    for (const line of idle(found)) printer.line(line);
  },
  async test(state, { printer, values, positionals: [, tool] }) {
    if (tool === undefined) throw usageError("Name the tool: npx pagewire policy test <tool> --origin ORIGIN");
    const subject = { principal: values.principal ?? "local", ...subjectOf(tool, values) };
    const found = values.file === undefined ? state.policy() : policyIn(values.file);
    const rule = found && findRule(found, subject);
    if (printer.json)
      return printer.data({ decision: rule?.decision ?? "allow", rule: rule ? describeRule(rule) : null });
    if (!rule) return printer.line(`allow: ${found ? "no rule fits" : "there is no policy"}.`);
    const rate = rule.rate ? `, ${rule.rate.text}` : "";
    printer.line(`${rule.decision}: by ${rule.label} (${whenText(rule)})${rate}.`);
  },
  async set(state, { io, printer, values: { remove }, positionals: [, file] }) {
    if (remove === (file !== undefined))
      throw usageError("Name a file, or - for what comes in, or --remove: npx pagewire policy set <file>");
    if (file === undefined) {
      const isGone = state.removePolicy();
      if (printer.json) printer.data({ removed: isGone });
      else printer.line(isGone ? "There is no policy any more: every call may begin." : "There was no policy.");
      noteNoHub(state, printer);
      return;
    }
    state.setPolicy(await textOfInput(file, io.stdin));
    const set = state.policy() ?? { rules: [], pin: [] };
    const rules = set.rules.length;
    if (printer.json) return printer.data({ path: state.policyPath, rules });
    const when = state.runningHub() ? " The hub that runs notices within a second." : "";
    printer.line(`The policy has ${rules} ${rules === 1 ? "rule" : "rules"} now.${when}`);
    noteNoHub(state, printer);
    for (const line of idle(set)) printer.line(line);
  },
};

function policyIn(file: string): Policy {
  try {
    return parsePolicy(textOfFile(file));
  } catch (error) {
    if (!PagewireError.isInstance(error)) throw error;
    throw usageError(`${file} cannot be used: ${error.message}`);
  }
}

/** One line for each rule that never decides a call. */
function idle(policy: Policy): readonly string[] {
  return policy.rules.flatMap((rule) => {
    const why = whyNever(policy, rule);
    return why === undefined ? [] : [`Look at ${named(rule)}: it never decides, because ${why}.`];
  });
}

/** The conditions of a rule, in a line. */
function whenText({ when, annotations }: PolicyRule): string {
  const fields = Object.entries(when).map(([field, patterns]) => `${field} ${patterns.join(" or ")}`);
  const hints = Object.entries(annotations).map(([hint, value]) => (value ? hint : `not ${hint}`));
  return [...fields, ...hints].join(", ") || "always";
}
