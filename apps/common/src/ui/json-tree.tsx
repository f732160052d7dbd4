import { showInvisible } from "pagewire/wire";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./button.tsx";

export interface JsonTreeProps {
  readonly value: unknown;
  /** A name for the value, for screen readers. */
  readonly label: string;
  /** How many levels are open at first. */
  readonly depth?: number;
}

/** How many members of a value, and characters of a text, are shown until more are wanted. */
const shownMembers = 100;
const shownLength = 500;

/** A JSON value whose parts open and close. */
export function JsonTree({ value, label, depth = 2 }: JsonTreeProps) {
  return (
    <div class="json-tree" role="group" aria-label={label}>
      <Value value={value} depth={depth} />
    </div>
  );
}

interface ValueProps {
  readonly name?: string;
  readonly value: unknown;
  readonly depth: number;
}

function Value({ name, value, depth }: ValueProps) {
  if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
    return <Parent name={name} value={value} depth={depth} />;
  }
  return (
    <div class="json-leaf">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

function Name({ name }: { readonly name: string | undefined }) {
  return name === undefined ? null : (
    <>
      <span class="json-name">{showInvisible(name)}</span>
      <span class="json-mark">: </span>
    </>
  );
}

interface ParentProps {
  readonly name: string | undefined;
  readonly value: object;
  readonly depth: number;
}

function Parent({ name, value, depth }: ParentProps) {
  const [isOpen, setOpen] = useState(depth > 0);
  const [limit, setLimit] = useState(shownMembers);
  const names = Object.keys(value);
  const members = value as Readonly<Record<string, unknown>>;
  const more = Math.min(shownMembers, names.length - limit);
  const size = `${names.length} ${Array.isArray(value) ? "item" : "field"}${names.length === 1 ? "" : "s"}`;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span class="json-mark">{Array.isArray(value) ? `[ ${size} ]` : `{ ${size} }`}</span>
      </summary>
      {isOpen &&
        names.slice(0, limit).map((each) => <Value key={each} name={each} value={members[each]} depth={depth - 1} />)}
      {isOpen && more > 0 && (
        <Button kind="quiet" small onClick={() => setLimit(limit + shownMembers)}>
          Show {more} more of {names.length}
        </Button>
      )}
    </details>
  );
}

function Leaf({ value }: { readonly value: unknown }): ComponentChildren {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== "string") return <span class="json-word">{JSON.stringify(value) ?? "undefined"}</span>;
  const rest = value.length - shownLength;
  const shown = isWhole ? value : value.slice(0, shownLength);
  return (
    <>
      <span class="json-text">"{showInvisible(shown)}"</span>
      {!isWhole && rest > 0 && (
        <Button kind="quiet" small onClick={() => setWhole(true)}>
          Show {rest} more characters
        </Button>
      )}
    </>
  );
}
