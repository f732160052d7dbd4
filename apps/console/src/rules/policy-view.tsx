// A policy: its rules in words, an editor that checks while one types, and a call to try against them. There is one of the hub
// and, in team mode, one of each organisation.
import { useRef, useState } from "preact/hooks";
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

interface Described {
  readonly rules: readonly ShownRule[];
  readonly pin: readonly string[];
}

interface PolicyAnswer extends Described {
  readonly text: string | null;
  readonly digest: string | null;
  /** Of the hub's: where it comes from, why its file cannot be used, and whether the user may change it. */
  readonly source?: "file" | "program" | "none";
  readonly path?: string | null;
  readonly problem?: string | null;
  readonly mayChange?: boolean;
  /** Beside the hub's, the one of the user's organisation. */
  readonly organisation?: Described;
}

interface PolicyPlace {
  readonly path: string;
  readonly none: string;
  readonly removed: string;
  readonly conditions: string;
}

const hubs: PolicyPlace = {
  path: "/api/policy",
  none: "There is no policy: every call may begin, and a tool's own questions are asked.",
  removed: "There is no policy any more: every call may begin.",
  conditions: "Conditions: principal, agent, door, origin, app, tool, annotations. * stands for any characters.",
};

export const organisations: PolicyPlace = {
  path: "/api/team/policy",
  none: "Your organisation has no rules: those of the hub decide alone.",
  removed: "Your organisation has no rules any more.",
  conditions: `${hubs.conditions} And group: a group that a person has at the identity provider when they call.`,
};

const firstText = `{
  "rules": [
    { "name": "ask-first", "annotations": { "destructiveHint": true }, "decision": "ask" }
  ]
}
`;

export function PolicyView({ session, place = hubs }: { readonly session: Session; readonly place?: PolicyPlace }) {
  const { value, error, read, take } = useAnswer<PolicyAnswer>(session, place.path);
  const [draft, setDraft] = useState<string>();
  if (!value) return error ? <Problem title="The policy cannot be read" error={error} onRetry={read} /> : <Loading />;
  const { problem = null, mayChange = true } = value;
  const edited = draft === undefined ? undefined : readDraft(draft);
  const test = async (call: TriedCall) =>
    edited?.policy
      ? decide(edited.policy, { principal: session.info.principal, ...call })
      : session.request("POST", `${place.path}/test`, call);
  return (
    <div class="rules">
      {problem !== null && (
        <Problem title="The file cannot be used, so that the rules before it hold">
          <p>{problem}</p>
        </Problem>
      )}
      {draft === undefined ? (
        <>
          <div class="rules-head">
            <p>{about(value, place)}</p>
            {mayChange && (
              <Button onClick={() => setDraft(value.text ?? firstText)}>
                {value.text === null ? "Write rules" : "Change the rules"}
              </Button>
            )}
          </div>
          <Rules {...value} />
          {value.organisation && <OrganisationsRules session={session} described={value.organisation} />}
          {!mayChange && <OwnersOnly session={session} command="npx pagewire policy set <file>" />}
        </>
      ) : (
        <Editor
          {...{ session, draft, value, place }}
          problem={edited?.problem}
          rules={edited?.policy ? describePolicy(edited.policy).rules : []}
          onDraft={setDraft}
          onDone={(saved) => {
            if (saved) take(saved);
            else read();
            setDraft(undefined);
          }}
        />
      )}
      <TryCall isDraft={draft !== undefined} isOfTeam={place === organisations} test={test} />
    </div>
  );
}

function Rules({ rules, pin }: Described) {
  return (
    <>
      <RuleTable rules={rules} />
      {pin.length > 0 && (
        <p class="hint">Tools are shown as they were first seen, of: {showInvisible(pin.join(", "))}.</p>
      )}
    </>
  );
}

function OrganisationsRules({ session, described }: { readonly session: Session; readonly described: Described }) {
  return (
    <section aria-labelledby="organisation-rules">
      <h2 id="organisation-rules">Of your organisation</h2>
      {described.rules.length === 0 ? (
        <p class="hint">None is for you.</p>
      ) : (
        <RuleTable rules={described.rules} label="Rules of your organisation" />
      )}
      {session.info.me?.isAdmin === true && <a href="#/organisation/policy">Change them</a>}
    </section>
  );
}

function about({ source, path = null, rules, text }: PolicyAnswer, place: PolicyPlace): string {
  if (source === undefined ? text === null : source === "none") return place.none;
  const count = `${rules.length} ${rules.length === 1 ? "rule" : "rules"}`;
  if (source === undefined)
    return `${count}. The first that fits a call decides, where the hub's own rules are not stricter.`;
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
  readonly place: PolicyPlace;
  readonly problem: string | undefined;
  readonly rules: readonly ShownRule[];
  readonly onDraft: (text: string) => void;
  readonly onDone: (saved?: PolicyAnswer) => void;
}

function Editor({ session, draft, value, place, problem, rules, onDraft, onDone }: EditorProps) {
  const [busy, change] = useChange();
  const [refusal, setRefusal] = useState<string>();
  const section = useRef<HTMLElement>(null);
  const { path } = place;
  const replaces = value.digest === null ? "" : `?replaces=${value.digest}`;
  const save = () =>
    change("save", async () => {
      try {
        onDone((await session.request("PUT", path + replaces, draft)) as PolicyAnswer);
        toast({ text: "These rules hold now.", tone: "ok" });
      } catch (error) {
        setRefusal(messageOf(error));
      }
    });
  const remove = () =>
    change("remove", async () => {
      onDone((await session.request("DELETE", path)) as PolicyAnswer);
      const undo = async () => onDone((await session.request("PUT", path, value.text ?? "")) as PolicyAnswer);
      const action = { label: "Undo", run: () => change("undo", undo) };
      toast({ text: place.removed, ...(value.text !== null && { action }) });
    });
  const wrong = problem ?? refusal;
  const line = Number(/^line (\d+),/.exec(wrong ?? "")?.[1] ?? 0);
  return (
    <section class="rules-editor" aria-label="Change the rules" ref={section}>
      <TextArea
        label="Rules, as JSON"
        hint={place.conditions}
        error={wrong}
        value={draft}
        onValue={(text) => {
          setRefusal(undefined);
          onDraft(text);
        }}
        rows={Math.min(24, Math.max(8, draft.split("\n").length + 1))}
        spellcheck={false}
        autocomplete="off"
      />
      <div class="rules-actions">
        <Button kind="strong" busy={busy === "save"} disabled={problem !== undefined} onClick={save}>
          Save the rules
        </Button>
        <Button onClick={() => onDone()}>Cancel</Button>
        {value.text !== null && (
          <Button kind="danger" busy={busy === "remove"} onClick={remove}>
            Remove all rules
          </Button>
        )}
        {line > 0 && (
          <Button onClick={() => showLine(section.current?.querySelector("textarea"), line)}>Go to line {line}</Button>
        )}
        <span class="hint" role="status">
          {refusal === undefined ? draft !== value.text && "Not saved yet" : "Not saved"}
        </span>
      </div>
      <h2>In words</h2>
      {problem === undefined ? <RuleTable rules={rules} /> : <p class="hint">Shown once the text is a policy.</p>}
    </section>
  );
}

/** Selects a line, and scrolls to it. */
function showLine(area: HTMLTextAreaElement | null | undefined, line: number): void {
  const lines = area?.value.split("\n") ?? [];
  const from = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  area?.focus();
  area?.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
}
