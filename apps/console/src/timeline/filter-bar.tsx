import { useEffect, useId, useRef, useState } from "preact/hooks";
import { icons } from "../../../common/src/icons.ts";
import { Button, Dialog, Field, Segments, Select, TextField } from "../../../common/src/ui/index.ts";
import { goTo } from "../frame/route.ts";
import { fieldNames, fields, placeOf, withField, withSpan } from "./filters.ts";
import type { FieldName, Filters, Span } from "./filters.ts";
import { shown } from "./words.ts";

export interface FilterBarProps {
  readonly filters: Filters;
  readonly failures: number | undefined;
  /** Values that there are, for the fields that have few. */
  readonly known: Readonly<Partial<Record<FieldName, readonly string[]>>>;
}

/** A change of the text comes into the address after this many milliseconds without another. */
const typingTime = 250;

export function FilterBar({ filters, failures, known }: FilterBarProps) {
  const [isAdding, setAdding] = useState(false);
  const go = (next: Filters) => goTo(placeOf(next), true);
  const { outcome } = filters.equal;
  const given = fieldNames.filter(
    (name) => filters.equal[name] !== undefined && !(name === "outcome" && outcome === failed),
  );
  return (
    <div class="row filter-bar" role="search" aria-label="Calls">
      <SearchField filters={filters} />
      <Segments
        label="Which calls"
        value={outcome === failed ? failed : "all"}
        options={[
          { value: "all", label: "All" },
          { value: failed, label: failures === undefined || failures === 0 ? "Failed" : `Failed (${failures})` },
        ]}
        onValue={(value) => go(withField(filters, "outcome", value === failed ? failed : undefined))}
      />
      <Select
        label="How far back"
        hidesLabel
        value={filters.last ?? ""}
        options={spanOptions}
        onValue={(value) => go(withSpan(filters, value === "" ? undefined : (value as Span)))}
      />
      <Button icon={icons.plus} onClick={() => setAdding(true)}>
        Filter
      </Button>
      {given.length > 0 && (
        <ul class="row chips" aria-label="Filters">
          {given.map((name) => (
            <li key={name} class="chip">
              <span class="cut">
                {fields[name]} <strong>{shown(filters.equal[name] ?? "")}</strong>
              </span>
              <Button
                kind="quiet"
                small
                icon={icons.close}
                label={`Without the filter ${fields[name]}`}
                onClick={() => go(withField(filters, name, undefined))}
              />
            </li>
          ))}
        </ul>
      )}
      {isAdding && <AddFilter {...{ filters, known, go }} onClose={() => setAdding(false)} />}
    </div>
  );
}

const failed = "failed";

const spanOptions = [
  { value: "", label: "All time" },
  { value: "15m", label: "Last 15 minutes" },
  { value: "1h", label: "Last hour" },
  { value: "24h", label: "Last day" },
  { value: "7d", label: "Last week" },
];

function SearchField({ filters }: { readonly filters: Filters }) {
  const [text, setText] = useState(filters.text);
  const latest = useRef(filters);
  latest.current = filters;
  const typed = useRef(filters.text);
  useEffect(() => {
    // Another place was gone to, by a link or a chip.
    if (filters.text !== typed.current) setText(filters.text);
    typed.current = filters.text;
  }, [filters.text]);
  useEffect(() => {
    if (text === latest.current.text) return;
    const timer = setTimeout(() => {
      typed.current = text;
      goTo(placeOf({ ...latest.current, text }), true);
    }, typingTime);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextField
      type="search"
      label="Search in calls"
      hidesLabel
      placeholder="Search tool, agent, app, code …"
      maxLength={200}
      value={text}
      onValue={setText}
    />
  );
}

interface AddFilterProps extends Pick<FilterBarProps, "filters" | "known"> {
  readonly go: (filters: Filters) => void;
  readonly onClose: () => void;
}

const examples: Partial<Record<FieldName, string>> = {
  minMilliseconds: "500",
  since: "2026-01-31T12:00Z",
  until: "2026-01-31T13:00Z",
};

function AddFilter({ filters, known, go, onClose }: AddFilterProps) {
  const [name, setName] = useState<FieldName>("tool");
  const [value, setValue] = useState("");
  const id = useId();
  const values = known[name] ?? [];
  const add = () => {
    if (value.trim() === "") return;
    onClose();
    go(withField(filters, name, value.trim()));
  };
  return (
    <Dialog
      title="Filter calls"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="strong" onClick={add}>
            Show these calls
          </Button>
        </>
      }
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <Select
          label="Field"
          value={name}
          options={fieldNames.map((each) => ({ value: each, label: fields[each] }))}
          onValue={(each) => setName(each as FieldName)}
        />
        <Field label="Is">
          {(attributes) => (
            <input
              {...attributes}
              list={id}
              maxLength={1000}
              placeholder={examples[name]}
              autoComplete="off"
              value={value}
              onInput={({ currentTarget }) => setValue(currentTarget.value)}
            />
          )}
        </Field>
        <datalist id={id}>
          {values.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </form>
    </Dialog>
  );
}
