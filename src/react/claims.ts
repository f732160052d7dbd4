// Which of several components speaks for a name. Agents see what the one rendered last offers, such as a dialog over its
// page; when that goes, what the one before it offers is back.
import type { Page } from "../page/index.ts";
import type { Registration } from "../toolbox/index.ts";

export interface Claim {
  /** What is claimed, as in `tool sort_by`. */
  readonly id: string;
  /** Greater in components that were rendered later. */
  readonly order: number;
  register(): Registration | undefined;
}

interface HeldClaim extends Claim {
  registration?: Registration | undefined;
}

const claimsOfPages = new WeakMap<Page, Map<string, HeldClaim[]>>();

/** Offers something, or keeps it until it is its turn; the returned function takes it away. */
export function makeClaim(page: Page, claim: Claim): () => void {
  const held: HeldClaim = { ...claim };
  const stack = stackOf(page, claim.id);
  stack.push(held);
  stack.sort((one, other) => one.order - other.order);
  if (stack.at(-1) === held) held.registration = held.register();
  return () => {
    const wasLast = stack.at(-1) === held;
    stack.splice(stack.indexOf(held), 1);
    held.registration?.remove();
    const next = stack.at(-1);
    if (wasLast && next) next.registration = next.register();
    // What the same commit puts in its place comes first.
    queueMicrotask(() => offerWaiting(page));
  };
}

/** Offers what could not be offered before, such as where there was no room for it. */
function offerWaiting(page: Page): void {
  for (const stack of claimsOfPages.get(page)?.values() ?? []) {
    const last = stack.at(-1);
    if (last && !last.registration) last.registration = last.register();
  }
}

function stackOf(page: Page, id: string): HeldClaim[] {
  const stacks = claimsOfPages.get(page) ?? new Map<string, HeldClaim[]>();
  claimsOfPages.set(page, stacks);
  const stack = stacks.get(id) ?? [];
  stacks.set(id, stack);
  return stack;
}
