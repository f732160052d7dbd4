import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { icons } from "../icons.ts";
import { Icon } from "./icon.tsx";

type Native = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "size" | "icon" | "label" | "class" | "children">;

export interface ButtonProps extends Native {
  readonly kind?: "plain" | "strong" | "quiet" | "danger" | undefined;
  readonly small?: boolean | undefined;
  /** The path of an icon. Without children, the button is a square with a `label`. */
  readonly icon?: string | undefined;
  readonly label?: string | undefined;
  /** Its work is under way: it keeps the focus and ignores clicks. */
  readonly busy?: boolean | undefined;
  readonly class?: string | undefined;
  readonly children?: ComponentChildren;
}

export function Button(props: ButtonProps) {
  const { kind = "plain", small, icon, label, busy = false, class: given, children, onClick, ...rest } = props;
  const isSquare = children === undefined;
  return (
    <button
      type="button"
      aria-label={label}
      title={isSquare ? label : undefined}
      {...rest}
      class={["button", kind, small && "small", isSquare && "square", given].filter(Boolean).join(" ")}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span class="spinner" /> : icon !== undefined && <Icon path={icon} />}
      {children}
    </button>
  );
}

export interface CopyButtonProps {
  /** The copied thing, for screen readers. */
  readonly what: string;
  readonly text: string | (() => string);
  readonly small?: boolean;
}

/** Copies a text, and shows whether that worked. Where it did not, the code beside the button is selected. */
export function CopyButton({ what, text, small = true }: CopyButtonProps) {
  const [said, say] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  async function copy(button: Element): Promise<void> {
    clearTimeout(timer.current);
    const code = button.closest(".code, .command")?.querySelector("code");
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      say("Copied");
    } catch {
      // Browsers copy only from secure pages, and only where they are allowed to.
      if (code) getSelection()?.selectAllChildren(code);
      return say(code ? "Selected: copy it with your keyboard" : "The browser refused");
    }
    timer.current = setTimeout(() => say(""), 3000);
  }

  return (
    <Button kind="quiet" small={small} class="copy" onClick={({ currentTarget }) => void copy(currentTarget)}>
      <Icon path={said === "Copied" ? icons.done : icons.copy} />
      <span aria-live="polite">{said === "" ? "Copy" : said}</span>
      <span class="visually-hidden"> {what}</span>
    </Button>
  );
}
