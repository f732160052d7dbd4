// How many tokens of a model the organisation's people may use, how many they have used, and what is left.
import { useState } from "preact/hooks";
import { shortened } from "../../../common/src/shortened.ts";
import { Button, Loading, Problem, Select, TextField, toast } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { useChange } from "../../../common/src/session/use-answer.ts";
import { FormDialog } from "./form-dialog.tsx";
import { PrincipalField } from "./principal-field.tsx";
import { amountOf, linesOf, withLine } from "./quota-lines.ts";
import type { Amounts, QuotaLine, QuotaSet, Whom } from "./quota-lines.ts";
import { Rows, useList } from "./rows.tsx";
import type { List } from "./rows.tsx";
import { useSetting } from "./use-setting.ts";

interface QuotasAnswer {
  readonly digest: string;
  readonly quotas: QuotaSet;
}

/** The rest of one principal's quotas. */
interface Use {
  readonly principal: string;
  readonly name?: string;
  readonly quotas: readonly Left[];
}

interface Left {
  readonly period: "day" | "month";
  readonly tokens: number;
  readonly used: number;
  readonly left: number;
  /** Whom it is for, where not that principal alone. */
  readonly of?: "organisation" | { readonly group: string };
}

const periods = ["day", "month"] as const;

export function Quotas({ session }: { readonly session: Session }) {
  const { value, error, read, set } = useSetting<QuotasAnswer>(session, "/api/team/quotas");
  const use = useList<Use>(session, "/api/team/use", "use");
  const [editing, edit] = useState<QuotaLine>();
  const [busy, change] = useChange();
  if (!value) return error ? <Problem title="The quotas cannot be read" error={error} onRetry={read} /> : <Loading />;
  const save = async (line: QuotaLine) => {
    await set(withLine(value.quotas, line));
    use.read();
    toast({ text: `The quota of ${whomText(line)} is ${amountsText(line.amounts)} now.`, tone: "ok" });
  };
  const list = { rows: linesOf(value.quotas), error, read, busy: false, more: undefined };
  return (
    <section aria-labelledby="quotas-title">
      <div class="rules-head">
        <h2 id="quotas-title">Tokens of the model</h2>
        <Button onClick={() => edit({ kind: "each", name: "", amounts: value.quotas.each ?? {} })}>Set a quota</Button>
      </div>
      <p class="hint">
        A person has their own quota, else the largest that one of their groups gives each, else that of each person.
        What a group or everybody has together holds beside it. Days and months are those of UTC.
      </p>
      <Rows
        label="Quotas"
        list={list}
        titles={["Whom", "A day", "A month", "Change"]}
        keyOf={({ kind, name }) => `${kind} ${name}`}
        empty="No quota is set: nobody is limited, but by the hub's own."
        cells={(line) => [
          whomText(line),
          ...periods.map((period) => <Amount key={period} {...{ line, period, use }} />),
          <div class="row">
            <Button small onClick={() => edit(line)}>
              Change <span class="visually-hidden">the quota of {whomText(line)}</span>
            </Button>
            <Button
              small
              kind="danger"
              busy={busy === `${line.kind} ${line.name}`}
              onClick={() => change(`${line.kind} ${line.name}`, () => save({ ...line, amounts: {} }))}
            >
              Remove <span class="visually-hidden">the quota of {whomText(line)}</span>
            </Button>
          </div>,
        ]}
      />
      <h2>Used and left</h2>
      <Rows
        label="Used and left"
        list={use}
        titles={["Person or service account", "Today", "This month"]}
        keyOf={({ principal }) => principal}
        empty="Nobody has come yet."
        cells={({ principal, name, quotas }) => [
          <>
            {shortened(name ?? principal, 80)}
            <p class="hint">{shortened(principal, 80)}</p>
          </>,
          ...periods.map((period) => leftText(quotas.find((each) => each.period === period && each.of === undefined))),
        ]}
      />
      {editing && <EditQuota {...{ session, save }} line={editing} onClose={() => edit(undefined)} />}
    </section>
  );
}

interface AmountProps {
  readonly line: QuotaLine;
  readonly period: (typeof periods)[number];
  readonly use: List<Use>;
}

/** The amount of a quota, and for one that several share what is left of it. */
function Amount({ line: { kind, name, amounts }, period, use }: AmountProps) {
  const isShared = ({ of }: Left) =>
    kind === "all" ? of === "organisation" : kind === "group-all" && typeof of === "object" && of.group === name;
  const shared = use.rows
    ?.flatMap(({ quotas }) => quotas)
    .find((each) => each.period === period && each.tokens === amounts[period] && isShared(each));
  return (
    <>
      {numberText(amounts[period])}
      {shared && <p class="hint">{leftText(shared)}</p>}
    </>
  );
}

function leftText(given: Left | undefined): string {
  if (!given) return "not limited";
  const { used, tokens, left } = given;
  return `${used.toLocaleString()} of ${tokens.toLocaleString()} used, ${left.toLocaleString()} left`;
}

function numberText(amount: Amounts["day"]): string {
  return typeof amount === "number" ? `${amount.toLocaleString()} tokens` : (amount ?? "");
}

function amountsText(amounts: Amounts): string {
  const texts = periods.flatMap((period) =>
    amounts[period] === undefined ? [] : [`${numberText(amounts[period])} a ${period}`],
  );
  return texts.join(" and ") || "not set any more";
}

const whom: Readonly<Record<Whom["kind"], string>> = {
  each: "Each person",
  all: "Everybody together",
  "group-each": "Each person in a group",
  "group-all": "A group together",
  person: "One person or service account",
};

function whomText({ kind, name }: Whom): string {
  const shown = shortened(name, 80);
  if (kind === "person") return shown;
  if (kind === "group-each") return `each person in ${shown}`;
  return kind === "group-all" ? `${shown} together` : whom[kind].toLowerCase();
}

const kinds = Object.entries(whom).map(([value, label]) => ({ value, label }));

interface EditQuotaProps {
  readonly session: Session;
  readonly line: QuotaLine;
  readonly save: (line: QuotaLine) => Promise<void>;
  readonly onClose: () => void;
}

function EditQuota({ session, line, save, onClose }: EditQuotaProps) {
  const [kind, setKind] = useState<string>(line.kind);
  const [name, setName] = useState(line.name);
  const [texts, setTexts] = useState({ day: textOf(line.amounts.day), month: textOf(line.amounts.month) });
  const [day, month] = [amountOf(texts.day), amountOf(texts.month)];
  const needsName = kind !== "each" && kind !== "all";
  const isReady = day !== null && month !== null && (!needsName || name.trim() !== "");
  const amounts = { ...(day != null && { day }), ...(month != null && { month }) };
  const named = { label: kind === "person" ? "Whose" : "Group", value: name, onValue: setName };
  return (
    <FormDialog
      title="Quota"
      isReady={isReady}
      save={() => save({ kind: kind as Whom["kind"], name: needsName ? name.trim() : "", amounts })}
      onClose={onClose}
      fields={["people"]}
    >
      {(errors) => (
        <>
          <Select label="For" options={kinds} value={kind} onValue={setKind} />
          {kind === "person" && <PrincipalField session={session} {...named} error={errors["people"]} />}
          {kind.startsWith("group") && <TextField {...named} autocomplete="off" maxLength={200} />}
          {periods.map((period) => (
            <TextField
              key={period}
              label={`Tokens a ${period}`}
              hint={period === "day" ? 'A number, "unlimited", or nothing where another quota is to hold.' : undefined}
              inputMode="numeric"
              autocomplete="off"
              value={texts[period]}
              error={amountOf(texts[period]) === null ? 'Write a whole number, or "unlimited".' : undefined}
              onValue={(text) => setTexts({ ...texts, [period]: text })}
            />
          ))}
        </>
      )}
    </FormDialog>
  );
}

function textOf(amount: Amounts["day"]): string {
  return amount === undefined ? "" : String(amount);
}
