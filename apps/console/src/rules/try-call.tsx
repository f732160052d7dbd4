// Tries a call against the rules: what would become of it, and by which rule.
import { useState } from "preact/hooks";
import { messageOf, showInvisible } from "pagewire/wire";
import { Badge, Button, Select, TextField } from "../../../common/src/ui/index.ts";
import { decisionTones } from "./rule-table.tsx";
import type { ShownRule } from "./rule-table.tsx";

export interface TriedCall {
  readonly tool?: string;
  readonly origin?: string;
  readonly app?: string;
  readonly agent?: string;
  readonly door?: string;
  readonly principal?: string;
  readonly groups?: readonly string[];
  readonly annotations?: Readonly<Record<string, boolean>>;
}

export interface TryCallProps {
  /** Whether it is tried against rules that are not saved yet. */
  readonly isDraft: boolean;
  /** Whether it may be of another person, and of one in a group. */
  readonly isOfTeam: boolean;
  readonly test: (call: TriedCall) => Promise<unknown>;
}

interface Verdict {
  readonly decision: ShownRule["decision"];
  readonly rule: ShownRule | null;
}

const fields = [
  { name: "tool", label: "Tool", placeholder: "delete_order" },
  { name: "origin", label: "Origin of its page", placeholder: "https://shop.example" },
  { name: "agent", label: "Agent", placeholder: "claude-code" },
  { name: "app", label: "App", placeholder: "shop" },
] as const;

const teamFields = [
  { name: "principal", label: "Person", placeholder: "acme/ada" },
  { name: "group", label: "Who is in the group", placeholder: "staff" },
] as const;

const doors = [
  { value: "", label: "Any door" },
  { value: "mcp", label: "MCP client" },
  { value: "http", label: "HTTP" },
  { value: "socket", label: "Command line" },
  { value: "delegate", label: "Program in a terminal" },
  { value: "model", label: "The hub's model" },
  { value: "window", label: "The agent's window" },
];

const kinds = [
  { value: "", label: "Says nothing of itself" },
  { value: "readOnlyHint", label: "Only reads" },
  { value: "destroysNothing", label: "Changes, and destroys nothing" },
  { value: "destructiveHint", label: "May destroy" },
];

const annotationsOf: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  readOnlyHint: { readOnlyHint: true },
  destroysNothing: { destructiveHint: false },
  destructiveHint: { destructiveHint: true },
};

export function TryCall({ isDraft, isOfTeam, test }: TryCallProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [verdict, setVerdict] = useState<Verdict | { readonly problem: string }>();
  const set = (name: string, value: string) => {
    setVerdict(undefined);
    setValues({ ...values, [name]: value });
  };
  const run = async () => {
    const { kind = "", group = "", ...rest } = values;
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ""));
    try {
      const annotations = annotationsOf[kind];
      const groups = group === "" ? undefined : { groups: [group] };
      setVerdict((await test({ ...given, ...groups, ...(annotations && { annotations }) })) as Verdict);
    } catch (error) {
      setVerdict({ problem: messageOf(error) });
    }
  };
  return (
    <section class="box rules-try" aria-labelledby="try-title">
      <h2 id="try-title">Try a call against {isDraft ? "these rules" : "the rules"}</h2>
      <form
        class="rules-form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {[...fields, ...(isOfTeam ? teamFields : [])].map(({ name, label, placeholder }) => (
          <TextField
            key={name}
            {...{ label, placeholder }}
            value={values[name] ?? ""}
            onValue={(value) => set(name, value)}
            autocomplete="off"
            spellcheck={false}
          />
        ))}
        <Select label="Door" options={doors} value={values["door"] ?? ""} onValue={(value) => set("door", value)} />
        <Select label="The tool" options={kinds} value={values["kind"] ?? ""} onValue={(value) => set("kind", value)} />
        <Button type="submit">Try it</Button>
      </form>
      <div class="rules-verdict" role="status">
        {verdict && <VerdictLine verdict={verdict} />}
      </div>
    </section>
  );
}

function VerdictLine({ verdict }: { readonly verdict: Verdict | { readonly problem: string } }) {
  if ("problem" in verdict) return <p class="problem">{verdict.problem}</p>;
  const { decision, rule } = verdict;
  return (
    <p>
      <Badge tone={decisionTones[decision]}>{decision}</Badge>{" "}
      {rule ? (
        <span>
          by <strong>{showInvisible(rule.label)}</strong>, which comes first of those that fit.{" "}
          {showInvisible(rule.words)}
        </span>
      ) : (
        "No rule fits, so that the call begins."
      )}
    </p>
  );
}
