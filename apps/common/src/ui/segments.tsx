import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Option } from "./fields.tsx";

export interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onValue: (value: Value) => void;
}

/** A few choices side by side, of which one is pressed. */
export function Segments<Value extends string>({ label, options, value, onValue }: SegmentsProps<Value>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onValue(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}

export interface TabsProps<Value extends string> extends SegmentsProps<Value> {
  /** The content of the chosen tab. */
  readonly children: ComponentChildren;
}

/** Contents of which one is shown. The arrows, Home and End move between the tabs. */
export function Tabs<Value extends string>({ label, options, value, onValue, children }: TabsProps<Value>) {
  const id = useId();
  const chosen = options.findIndex((option) => option.value === value);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const tab = list.current?.children[chosen];
    // A narrow window shows a part of the list.
    if (list.current && tab instanceof HTMLElement) list.current.scrollLeft = tab.offsetLeft - list.current.offsetLeft;
  }, [chosen]);

  function press(event: KeyboardEvent): void {
    const targets: Record<string, number> = {
      ArrowRight: (chosen + 1) % options.length,
      ArrowLeft: (chosen - 1 + options.length) % options.length,
      Home: 0,
      End: options.length - 1,
    };
    const target = targets[event.key];
    const next = target === undefined ? undefined : options[target];
    if (!next) return;
    event.preventDefault();
    onValue(next.value);
    document.getElementById(`${id}-${next.value}`)?.focus();
  }

  return (
    <div class="tabs">
      <div ref={list} class="tab-list" role="tablist" aria-label={label} onKeyDown={press}>
        {options.map((option, index) => (
          <button
            key={option.value}
            type="button"
            role="tab"
            id={`${id}-${option.value}`}
            aria-selected={index === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => onValue(option.value)}
          >
            {option.label}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`} tabIndex={0}>
        {children}
      </div>
    </div>
  );
}
