import type { ComponentChildren } from "preact";
import { PagewireError, messageOf } from "pagewire/wire";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

export interface EmptyProps {
  readonly title: string;
  readonly icon?: string;
  /** The next step, in words. */
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** Nothing is there yet. */
export function Empty({ title, icon, children, action }: EmptyProps) {
  return (
    <div class="state">
      {icon !== undefined && <Icon path={icon} />}
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

/** Appears after a moment: most loads end before it could be read. */
export function Loading({ children = "Loading" }: { readonly children?: ComponentChildren }) {
  return (
    <p class="state wait" role="status">
      <span class="spinner" />
      {children}
    </p>
  );
}

export interface ProblemProps {
  /** The thing that did not work. */
  readonly title: string;
  readonly error?: unknown;
  readonly children?: ComponentChildren;
  readonly onRetry?: (() => void) | undefined;
}

/** Something did not work: what, why, and what to do about it. */
export function Problem({ title, error, children, onRetry }: ProblemProps) {
  const code = PagewireError.isInstance(error) ? error.code : undefined;
  return (
    <div class="notice danger" role="alert">
      <strong>{title}</strong>
      {error !== undefined && (
        <p>
          {messageOf(error)} {code !== undefined && <code>{code}</code>}
        </p>
      )}
      {children}
      {onRetry && (
        <Button small onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
