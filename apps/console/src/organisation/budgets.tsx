// The lower limits of each of the organisation's principals.
import { useState } from "preact/hooks";
import { budgets as allBudgets } from "pagewire/wire";
import { Button, Loading, Problem, Select, TextField, toast } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { useChange } from "../../../common/src/session/use-answer.ts";
import { FormDialog } from "./form-dialog.tsx";
import { Rows } from "./rows.tsx";
import { useSetting } from "./use-setting.ts";

interface BudgetsAnswer {
  readonly digest: string;
  readonly budgets: Readonly<Record<string, number>>;
}

const names = Object.entries(allBudgets).flatMap(([value, about]) =>
  "isInTokens" in about ? [{ value, label: words(value) }] : [],
);

export function Budgets({ session }: { readonly session: Session }) {
  const { value, error, read, set } = useSetting<BudgetsAnswer>(session, "/api/team/budgets");
  const [editing, edit] = useState<readonly [name: string, amount: string]>();
  const [busy, change] = useChange();
  if (!value) return error ? <Problem title="The budgets cannot be read" error={error} onRetry={read} /> : <Loading />;
  const save = async (name: string, amount: number | undefined) => {
    const { [name]: _, ...others } = value.budgets;
    await set({ budgets: amount === undefined ? others : { ...others, [name]: amount } });
    toast({
      text: `${words(name)}: ${amount === undefined ? "the hub's own" : "lower"} from each sign-in on.`,
      tone: "ok",
    });
  };
  const list = { rows: Object.entries(value.budgets), error, read, busy: false, more: undefined };
  return (
    <section aria-labelledby="budgets-title">
      <div class="rules-head">
        <h2 id="budgets-title">Budgets</h2>
        <Button onClick={() => edit([names[0]?.value ?? "", ""])}>Lower a budget</Button>
      </div>
      <p class="hint">
        What each person and service account may use of the hub. Yours can only be lower than the hub's own.
      </p>
      <Rows
        label="Budgets"
        list={list}
        titles={["Budget", "At most", "Change"]}
        keyOf={([name]) => name}
        empty="The hub's own hold."
        cells={([name, amount]) => [
          words(name),
          amount.toLocaleString(),
          <div class="row">
            <Button small onClick={() => edit([name, String(amount)])}>
              Change <span class="visually-hidden">{words(name)}</span>
            </Button>
            <Button small kind="danger" busy={busy === name} onClick={() => change(name, () => save(name, undefined))}>
              Remove <span class="visually-hidden">{words(name)}</span>
            </Button>
          </div>,
        ]}
      />
      {editing && (
        <FormDialog
          title="Budget"
          isReady={/^\d{1,15}$/.test(editing[1].trim())}
          save={() => save(editing[0], Number(editing[1]))}
          onClose={() => edit(undefined)}
        >
          {() => (
            <>
              <Select label="Of" options={names} value={editing[0]} onValue={(name) => edit([name, editing[1]])} />
              <TextField
                label="At most"
                inputMode="numeric"
                autocomplete="off"
                value={editing[1]}
                onValue={(amount) => edit([editing[0], amount])}
              />
            </>
          )}
        </FormDialog>
      )}
    </section>
  );
}

/** "Call rate" for callRatePerPrincipal. */
function words(name: string): string {
  const text = name.replace("PerPrincipal", "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
