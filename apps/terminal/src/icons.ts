import { icons as common } from "../../common/src/icons.ts";

/** Paths on a field of 16 by 16. */
export const icons = {
  ...common,
  pen: "M3 13l.6-2.8L10.8 3a1.2 1.2 0 0 1 1.7 0l.5.5a1.2 1.2 0 0 1 0 1.7L5.8 12.4 3 13M9.5 4.5l2 2",
} as const;
