import { icons as common } from "../../common/src/icons.ts";

/** Paths on a field of 16 by 16. */
export const icons = {
  ...common,
  mark: "M2.5 4.5h11v7h-11zM5 14h6M5.5 8h1.5l1-1.5 1 3 1-1.5h1",
  settings:
    "M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M8.5 4.5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 0 0-3 0M4.5 11.5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 0 0-3 0",
  out: "M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5",
} as const;
