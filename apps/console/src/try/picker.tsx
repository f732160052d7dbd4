// Everything that can be tried, by page, and found by typing.
import { showInvisible } from "pagewire/wire";
import { useState } from "preact/hooks";
import { TextField } from "../../../common/src/ui/index.ts";
import { href } from "../frame/route.ts";
import type { HubTab } from "../hub/facts.ts";
import { targetsOf } from "./targets.ts";
import type { Kind, Target } from "./targets.ts";

export interface PickerProps {
  readonly tabs: readonly HubTab[];
  readonly current: Target | undefined;
}

/** Entries that are in the document at once; typing finds the others. */
const most = 300;

const kindTexts: Readonly<Record<Kind, string>> = {
  tool: "",
  resource: "resource",
  template: "resources",
  prompt: "prompt",
};

export function Picker({ tabs, current }: PickerProps) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const groups = tabs.map((tab) => ({ tab, targets: targetsOf(tab).filter((target) => isFound(target, wanted)) }));
  const filled = groups.filter(({ targets }) => targets.length > 0);
  const count = filled.reduce((sum, { targets }) => sum + targets.length, 0);
  let room = most;
  return (
    <nav class="stack picker" aria-label="What to try">
      <TextField label="Find" hidesLabel type="search" placeholder="Find a tool" value={text} onValue={setText} />
      {filled.length === 0 && (
        <p class="hint">{wanted === "" ? "The pages offer nothing." : "Nothing has this text."}</p>
      )}
      {filled.map(({ tab, targets }) => {
        const shown = targets.slice(0, Math.max(0, room));
        room -= targets.length;
        return (
          shown.length > 0 && (
            <div key={tab.tabId}>
              <h2 title={tab.origin}>{showInvisible(tab.title || tab.app)}</h2>
              <ul>
                {shown.map((target) => (
                  <Entry key={`${target.kind} ${target.name}`} target={target} isCurrent={isSame(target, current)} />
                ))}
              </ul>
            </div>
          )
        );
      })}
      {count > most && <p class="hint">{count - most} more: type to find them.</p>}
    </nav>
  );
}

function Entry({ target, isCurrent }: { readonly target: Target; readonly isCurrent: boolean }) {
  const { kind, tab, name, title } = target;
  const to = href(["try", tab.tabId, name], kind === "tool" ? {} : { kind });
  return (
    <li>
      <a href={to} aria-current={isCurrent ? "page" : undefined}>
        <span>{showInvisible(title ?? name)}</span>
        <small>{showInvisible([name, kindTexts[kind]].filter(Boolean).join(" · "))}</small>
      </a>
    </li>
  );
}

function isFound({ name, title = "", description = "" }: Target, wanted: string): boolean {
  return [name, title, description].some((each) => each.toLowerCase().includes(wanted));
}

export function isSame(one: Target, other: Target | undefined): boolean {
  return one.tab.tabId === other?.tab.tabId && one.kind === other.kind && one.name === other.name;
}
