import type { ComponentChildren } from "preact";

/** How something is: `plain` says nothing, `info` is worth a look, the others speak for themselves. */
export type Tone = "plain" | "info" | "ok" | "wait" | "bad";

export interface BadgeProps {
  readonly tone?: Tone | undefined;
  readonly title?: string | undefined;
  readonly children: ComponentChildren;
}

/** A word or a number in a coloured field. */
export function Badge({ tone = "plain", title, children }: BadgeProps) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

/** A coloured point. With a label it has a meaning of its own; without, the text beside it has. */
export function Dot({ tone = "plain", label }: { readonly tone?: Tone | undefined; readonly label?: string }) {
  const named = label === undefined ? { "aria-hidden": true } : { role: "img" as const, "aria-label": label };
  return <span class={`dot ${tone}`} title={label} {...named} />;
}
