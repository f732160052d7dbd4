/** Paths on a field of 16 by 16. */
export const icons = {
  up: "M8 13V3M3.5 7.5 8 3l4.5 4.5",
  down: "M8 3v10M3.5 8.5 8 13l4.5-4.5",
  level: "M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  chevron: "M3.5 10.5 8 6l4.5 4.5",
  ask: "M2 2.8h12v8H8.2L4.8 13.6v-2.8H2Z",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1v1.4M8 13.6V15M1 8h1.4M13.6 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  moon: "M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1Z",
} as const;
