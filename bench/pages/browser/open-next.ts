import { query } from "./query.ts";

/** The addresses of the tabs that this one opens, each in a process of its own; it offers nothing itself. */
const next = query.getAll("next");

/** Whether this tab opens others. */
export const opensNext = next.length > 0;

export function openNext(): void {
  for (const url of next.splice(0)) open(url, "_blank", "noopener");
}
