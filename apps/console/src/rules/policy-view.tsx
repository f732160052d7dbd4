// The policy: its rules in words, an editor that checks while one types, and a call to try against them.
import { useState } from "preact/hooks";
import { describePolicy, findRule, parsePolicy } from "pagewire/policy";
import type { Policy } from "pagewire/policy";
import { messageOf, showInvisible } from "pagewire/wire";
import { Button, Loading, Problem, TextArea, toast } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { useAnswer, useChange } from "../../../common/src/session/use-answer.ts";
import { OwnersOnly } from "./owners-only.tsx";
import { RuleTable } from "./rule-table.tsx";
import type { ShownRule } from "./rule-table.tsx";
import { TryCall } from "./try-call.tsx";
import type { TriedCall } from "./try-call.tsx";

interface PolicyAnswer {
  readonly source: "file" | "program" | "none";
  readonly path: string | null;
  readonly text: string | null;
  readonly digest: string | null;
  readonly problem: string | null;
  readonly rules: readonly ShownRule[];
  readonly pin: readonly string[];
  readonly mayChange: boolean;
}

const firstText = `{
  "rules": [
    { "name": "ask-first", "annotations": { "destructiveHint": true }, "decision": "ask" }
  ]
}
`;

export function PolicyView({ session }: { readonly session: Session }) {
  const policy = useAnswer<PolicyAnswer>(session, "/api/policy");
  const [draft, setDraft] = useState<string>();
  const { value, error, read, take } = policy;
  if (!value) return error ? <Problem title="The policy cannot be read" error={error} onRetry={read} /> : <Loading />;
  const edited = draft === undefined ? undefined : readDraft(draft);
  const test = async (call: TriedCall) =>
    edited?.policy ? decide(edited.policy, call) : session.request("POST", "/api/policy/test", call);
  return (
    <div class="rules">
      {value.problem !== null && (
        <Problem title="The file cannot be used, so that the rules before it hold">
          <p>{value.problem}</p>
        </Problem>
      )}
      {draft === undefined ? (
        <>
          <div class="rules-head">
            <p>{aboutSource(value)}</p>
            {value.mayChange && (
              <Button onClick={() => setDraft(value.text ?? firstText)}>
                {value.source === "none" ? "Write rules" : "Change the rules"}
              </Button>
            )}
          </div>
          <RuleTable rules={value.rules} />
          <PinLine pin={value.pin} />
          {!value.mayChange && <OwnersOnly session={session} command="npx pagewire policy set <file>" />}
        </>
      ) : (
        <Editor
          {...{ session, draft, value }}
          problem={edited?.problem}
          rules={edited?.policy ? describePolicy(edited.policy).rules : []}
          onDraft={setDraft}
          onDone={(saved) => {
            if (saved) take(saved);
            setDraft(undefined);
          }}
        />
      )}
      <TryCall isDraft={draft !== undefined} test={test} />
    </div>
  );
}

function aboutSource({ source, path, rules }: PolicyAnswer): string {
  if (source === "none") return "There is no policy: every call may begin, and a tool's own questions are asked.";
  const count = `${rules.length} ${rules.length === 1 ? "rule" : "rules"}`;
  const where = source === "program" ? " of the program that started the hub" : path === null ? "" : ` in ${path}`;
  return `${count}${where}. The first that fits a call decides; where none does, the call begins.`;
}

function readDraft(text: string): { readonly policy?: Policy; readonly problem?: string } {
  try {
    return { policy: parsePolicy(text) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** As the hub would, by rules that are not saved yet. */
function decide(policy: Policy, { principal = "local", agent = "", ...call }: TriedCall): object {
  const rule = findRule(policy, { ...call, principal, agent });
  const shown = rule && describePolicy(policy).rules.find(({ label }) => label === rule.label);
  return { decision: rule?.decision ?? "allow", rule: shown ?? null };
}

interface EditorProps {
  readonly session: Session;
  readonly draft: string;
  readonly value: PolicyAnswer;
  readonly problem: string | undefined;
  readonly rules: readonly ShownRule[];
  readonly onDraft: (text: string) => void;
  readonly onDone: (saved?: PolicyAnswer) => void;
}

function Editor({ session, draft, value, problem, rules, onDraft, onDone }: EditorProps) {
  const [busy, change] = useChange();
  const save = () =>
    change("save", async () => {
      const replaces = value.digest === null ? "" : `?replaces=${value.digest}`;
      onDone((await session.request("PUT", `/api/policy${replaces}`, draft)) as PolicyAnswer);
      toast({ text: "These rules hold now.", tone: "ok" });
    });
  const remove = () =>
    change("remove", async () => {
      onDone((await session.request("DELETE", "/api/policy")) as PolicyAnswer);
      const undo = async () => onDone((await session.request("PUT", "/api/policy", value.text ?? "")) as PolicyAnswer);
      const action = { label: "Undo", run: () => change("undo", undo) };
      toast({ text: "There is no policy any more: every call may begin.", ...(value.text !== null && { action }) });
    });
  return (
    <section class="rules-editor" aria-label="Change the rules">
      <TextArea
        label="Rules, as JSON"
        hint="Conditions: principal, agent, door, origin, app, tool, annotations. * stands for any characters."
        error={problem}
        value={draft}
        onValue={onDraft}
        rows={Math.min(24, Math.max(8, draft.split("\n").length + 1))}
        spellcheck={false}
        autocomplete="off"
      />
      <div class="rules-actions">
        <Button kind="strong" busy={busy === "save"} disabled={problem !== undefined} onClick={save}>
          Save the rules
        </Button>
        <Button onClick={() => onDone()}>Cancel</Button>
        {value.source === "file" && (
          <Button kind="danger" busy={busy === "remove"} onClick={remove}>
            Remove all rules
          </Button>
        )}
      </div>
      <h2>In words</h2>
      {problem === undefined ? <RuleTable rules={rules} /> : <p class="hint">Shown once the text is a policy.</p>}
    </section>
  );
}

function PinLine({ pin }: { readonly pin: readonly string[] }) {
  if (pin.length === 0) return null;
  return <p class="hint">Tools are shown as they were first seen, of: {showInvisible(pin.join(", "))}.</p>;
}
