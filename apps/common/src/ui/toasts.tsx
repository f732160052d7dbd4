import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { icons } from "../icons.ts";
import { Button } from "./button.tsx";

export interface Toast {
  readonly text: string;
  /** A failure ("bad") stays until it is closed. */
  readonly tone?: "plain" | "ok" | "bad";
  readonly action?: { readonly label: string; readonly run: () => void };
}

interface Shown extends Toast {
  readonly id: number;
}

const atOnce = 4;
const shownFor = 6000;
const shown = signal<readonly Shown[]>([]);
let count = 0;

/** Shows a short message for a while; returns a function that takes it away. */
export function toast(message: Toast | string): () => void {
  const made = { ...(typeof message === "string" ? { text: message } : message), id: ++count };
  shown.value = [...shown.value, made].slice(-atOnce);
  return () => remove(made.id);
}

function remove(id: number): void {
  shown.value = shown.value.filter((each) => each.id !== id);
}

/** The place of the toasts, one for a page. */
export function Toasts() {
  const element = useRef<HTMLDivElement>(null);
  const newest = shown.value.at(-1)?.id;
  useLayoutEffect(() => {
    // A dialog that opened in the meantime would cover them.
    if (element.current?.matches(":popover-open")) element.current.hidePopover();
    element.current?.showPopover();
  }, [newest]);
  return (
    <div ref={element} class="toasts" role="status" aria-live="polite" popover="manual">
      {shown.value.map((each) => (
        <ToastView key={each.id} {...each} />
      ))}
    </div>
  );
}

function ToastView({ id, text, tone = "plain", action }: Shown) {
  const [isHeld, hold] = useState(false);
  useEffect(() => {
    if (isHeld || tone === "bad") return;
    const timer = setTimeout(() => remove(id), shownFor);
    return () => clearTimeout(timer);
  }, [id, isHeld, tone]);
  return (
    <div
      class={`toast ${tone}`}
      onMouseEnter={() => hold(true)}
      onMouseLeave={() => hold(false)}
      onFocusIn={() => hold(true)}
      onFocusOut={() => hold(false)}
    >
      <span>{text}</span>
      {action && (
        <Button
          small
          onClick={() => {
            action.run();
            remove(id);
          }}
        >
          {action.label}
        </Button>
      )}
      <Button kind="quiet" small icon={icons.close} label="Close" onClick={() => remove(id)} />
    </div>
  );
}
