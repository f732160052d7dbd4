// The organisation's audit: its people, agents and admins, and their actions.
import { useState } from "preact/hooks";
import { shortened } from "../../../common/src/shortened.ts";
import { Badge, Button, Drawer, JsonTree, Select, TextField, Time } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { goTo, href } from "../frame/route.ts";
import type { ViewProps } from "../frame/view.ts";
import { PrincipalField } from "./principal-field.tsx";
import { Rows, useList } from "./rows.tsx";

/** A record of the hub's audit; the drawer shows all of it. */
interface Kept {
  readonly id: string;
  readonly at: string;
  readonly kind: string;
  readonly principal: string;
  readonly agent?: string;
  readonly name?: string;
  readonly origin?: string;
  readonly outcome?: string;
  readonly code?: string;
}

const names = ["kind", "principal", "tool", "text", "since", "until"] as const;

type Filters = Readonly<Partial<Record<(typeof names)[number], string>>>;

const kinds = [
  { value: "", label: "Everything" },
  { value: "call", label: "Calls" },
  { value: "question", label: "Questions" },
  { value: "consent", label: "Consents" },
  { value: "sign-in", label: "Sign-ins" },
  { value: "token", label: "Tokens and service accounts" },
  { value: "policy", label: "Policy, quotas, budgets, model" },
  { value: "person", label: "Changes by admins to people" },
  { value: "terminal", label: "Terminals" },
];

export function Audit({ session, route }: ViewProps) {
  const filters: Filters = Object.fromEntries(names.map((name) => [name, route.query.get(name) ?? ""] as const));
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== "")).toString();
  return (
    <div class="rules">
      <Search key={query} session={session} filters={filters} />
      <Records key={`records ${query}`} session={session} query={query} />
    </div>
  );
}

function Search({ session, filters }: { readonly session: Session; readonly filters: Filters }) {
  const [values, setValues] = useState(filters);
  const field = (name: keyof Filters) => ({
    value: values[name] ?? "",
    onValue: (value: string) => setValues({ ...values, [name]: value }),
  });
  const time = (name: "since" | "until") => ({
    value: localTime(values[name] ?? ""),
    onValue: (value: string) => setValues({ ...values, [name]: isoTime(value) }),
  });
  return (
    <form
      class="rules-form"
      role="search"
      aria-label="Audit"
      onSubmit={(event) => {
        event.preventDefault();
        const given = Object.entries(values).map(([name, value]) => [name, value.trim() || undefined] as const);
        goTo(href(["organisation", "audit"], Object.fromEntries(given)));
      }}
    >
      <Select label="What" options={kinds} {...field("kind")} />
      <PrincipalField session={session} label="Person or service account" {...field("principal")} />
      <TextField label="Tool, or whom it is about" maxLength={256} autocomplete="off" {...field("tool")} />
      <TextField label="With this text" type="search" maxLength={256} {...field("text")} />
      <TextField label="Since" type="datetime-local" {...time("since")} />
      <TextField label="Until" type="datetime-local" {...time("until")} />
      <Button type="submit" kind="strong">
        Search
      </Button>
    </form>
  );
}

function Records({ session, query }: { readonly session: Session; readonly query: string }) {
  const list = useList<Kept>(session, `/api/team/audit${query === "" ? "" : `?${query}`}`, "calls");
  const [open, setOpen] = useState<Kept>();
  return (
    <>
      <Rows
        label="Audit"
        list={list}
        titles={["When", "Who", "What", "Outcome", "Details"]}
        keyOf={({ id }) => id}
        empty={
          list.more ? "Nothing like this among the latest. Go on with those before." : "Nothing like this is recorded."
        }
        cells={(record) => [
          <Time at={Date.parse(record.at)} />,
          <>
            {shortened(record.principal, 80)}
            {record.agent !== undefined && <p class="hint">{shortened(record.agent, 80)}</p>}
          </>,
          <>
            <Badge>{record.kind}</Badge> {shortened(record.name ?? "", 80)}
            {record.origin !== undefined && <p class="hint">{shortened(record.origin, 80)}</p>}
          </>,
          <>
            {shortened(record.outcome ?? "", 40)}
            {record.code !== undefined && <p class="hint">{shortened(record.code, 40)}</p>}
          </>,
          <Button small onClick={() => setOpen(record)}>
            Show <span class="visually-hidden">all of {shortened(record.name ?? record.kind, 80)}</span>
          </Button>,
        ]}
      />
      {open && (
        <Drawer title={`${open.kind}: ${shortened(open.name ?? "", 80)}`} onClose={() => setOpen(undefined)}>
          <JsonTree label="The record" value={open} depth={3} />
        </Drawer>
      )}
    </>
  );
}

/** The time of a field, which is local, as an ISO text; and back. Empty for what is no time. */
function isoTime(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

function localTime(iso: string): string {
  const at = new Date(iso);
  const local = at.getTime() - at.getTimezoneOffset() * 60_000;
  return Number.isNaN(local) ? "" : new Date(local).toISOString().slice(0, 16);
}
