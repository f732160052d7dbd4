import type { TerminalInfo } from "pagewire/terminal";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { icons } from "../../common/src/icons.ts";
import { Button } from "../../common/src/ui/button.tsx";
import { Icon } from "../../common/src/ui/icon.tsx";
import { whenText } from "pagewire/chat/dom";

export interface TerminalListProps {
  readonly terminals: readonly TerminalInfo[];
  readonly current: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly onRename: (id: string, name: string) => void;
  readonly onEnd: (id: string) => void;
}

interface Asked {
  readonly id: string;
  readonly about: "name" | "end";
}

/** The terminals there are. Each can be opened, renamed, and, once that was confirmed, ended. */
export function TerminalList({ terminals, current, onOpen, onRename, onEnd }: TerminalListProps) {
  const element = useRef<HTMLUListElement>(null);
  const [asked, ask] = useState<Asked>();
  const place = useRef<string>(undefined);

  /** The element with the focus may be gone: then its terminal gets the focus, or the first one. */
  useEffect(() => {
    const { current: list } = element;
    if (place.current === undefined || !list || document.activeElement !== document.body) return;
    const item = list.querySelector(`[data-id="${CSS.escape(place.current)}"]`) ?? list;
    item.querySelector<HTMLElement>("input, .keep, .open")?.focus();
  });

  const done = (): void => ask(undefined);
  return (
    <ul
      ref={element}
      class="terminals entries side-content"
      aria-label="Terminals"
      onFocusIn={({ target }) => {
        place.current = target instanceof Element ? target.closest<HTMLElement>("li")?.dataset["id"] : undefined;
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget !== null) place.current = undefined;
      }}
    >
      {terminals.length === 0 && <li class="none">None yet.</li>}
      {terminals.map((info) => {
        const { id, name } = info;
        const question = asked?.id === id ? asked.about : undefined;
        if (question === "end") return <EndItem key={id} info={info} onDone={done} onEnd={() => onEnd(id)} />;
        if (question === "name") {
          return <NameItem key={id} info={info} onDone={done} onRename={(given) => onRename(id, given)} />;
        }
        return (
          <li key={id} class="entry" data-id={id}>
            <button type="button" class="open" aria-current={id === current || undefined} onClick={() => onOpen(id)}>
              <span class="title">{name}</span>
              <span class="when">since {whenText(info.createdAt, Date.now())}</span>
            </button>
            <Small label="Rename" name={name} icon={icons.pen} onClick={() => ask({ id, about: "name" })} />
            <Small label="End" name={name} icon={icons.bin} onClick={() => ask({ id, about: "end" })} />
          </li>
        );
      })}
    </ul>
  );
}

interface SmallProps {
  readonly label: string;
  readonly name: string;
  readonly icon: string;
  readonly onClick: () => void;
}

function Small({ label, name, icon, onClick }: SmallProps) {
  return (
    <button type="button" class="small-button" aria-label={`${label} ${name}`} title={label} onClick={onClick}>
      <Icon path={icon} />
    </button>
  );
}

interface QuestionProps {
  readonly info: TerminalInfo;
  readonly onDone: () => void;
}

function EndItem({ info: { id, name }, onDone, onEnd }: QuestionProps & { readonly onEnd: () => void }) {
  const element = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => element.current?.querySelector<HTMLElement>(".keep")?.focus(), []);
  return (
    <li ref={element} data-id={id} onKeyDown={onEscape(onDone)}>
      <div class="question danger">
        <p>End {name}? The programs in it end.</p>
        <Button
          small
          kind="danger"
          onClick={() => {
            onDone();
            onEnd();
          }}
        >
          End
        </Button>
        <Button small class="keep" onClick={onDone}>
          Keep
        </Button>
      </div>
    </li>
  );
}

interface NameProps extends QuestionProps {
  readonly onRename: (name: string) => void;
}

function NameItem({ info: { id, name }, onDone, onRename }: NameProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.select(), []);
  function submit(event: Event): void {
    event.preventDefault();
    const given = field.current?.value.trim() ?? "";
    onDone();
    if (given !== "") onRename(given);
  }
  return (
    <li data-id={id} onKeyDown={onEscape(onDone)}>
      <form class="question" onSubmit={submit}>
        <input
          ref={field}
          class="input"
          defaultValue={name}
          maxLength={128}
          required
          aria-label={`New name of ${name}`}
        />
        <Button small kind="strong" type="submit">
          Rename
        </Button>
        <Button small onClick={onDone}>
          Cancel
        </Button>
      </form>
    </li>
  );
}

function onEscape(run: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Escape") return;
    // It is for what is asked, and not for what is around it.
    event.stopPropagation();
    run();
  };
}
