import { icons as common } from "../../../common/src/icons.ts";

/** Paths on a field of 16 by 16. */
export const icons = {
  ...common,
  up: "M8 13V3M3.5 7.5 8 3l4.5 4.5",
  down: "M8 3v10M3.5 8.5 8 13l4.5-4.5",
  level: "M3 8h10",
  chevron: "M3.5 10.5 8 6l4.5 4.5",
  ask: "M2 2.8h12v8H8.2L4.8 13.6v-2.8H2Z",
} as const;
