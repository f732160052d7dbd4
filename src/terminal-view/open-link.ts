import type { Notes } from "./parts/create-notes.ts";
import { make } from "./parts/make.ts";
import type { CheckedLink } from "./screen/check-link.ts";

/**
 * Opens a link at once if the user clicked it on purpose and it is not suspicious; otherwise shows the address and
 * asks.
 */
export function openLink({ href, doubt }: CheckedLink, isMeant: boolean, notes: Pick<Notes, "offer">): void {
  const anchor = make("a", { href, target: "_blank", rel: "noopener noreferrer", className: "strong" }, "Open");
  if (isMeant && doubt === undefined) anchor.click();
  else notes.offer(doubt === undefined ? href : `${doubt}\n${href}`, anchor);
}
