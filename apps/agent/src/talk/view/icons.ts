import { icons as ofApp } from "../../icons.ts";

/** Paths on a field of 16 by 16. */
export const icons = {
  send: "M8 13.5V3M3.5 7.5 8 3l4.5 4.5",
  stop: "M4.5 4.5h7v7h-7Z",
  attach: "M13 7.5 8 12.5a3 3 0 0 1-4.3-4.3l5.2-5.2a2 2 0 0 1 2.9 2.9l-5.1 5.1a1 1 0 0 1-1.4-1.4L9.8 5",
  close: ofApp.close,
  copy: "M6 6h7v7H6zM10 3.5V3H3v7h.5",
  again: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5V5h-2.5",
  edit: "M10.5 3 13 5.5 6 12.5l-3 .5.5-3z",
  end: "M8 3v10M3.5 8.5 8 13l4.5-4.5",
  waiting: "M8 4.5V8l2.2 1.6M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2",
  running: "M8 2a6 6 0 1 1-6 6",
  done: "M3.5 8.5 6.5 11.5 12.5 5",
  failed: "M8 4.5v4M8 11v.2M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2",
  refused: "M4 4l8 8M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2",
} as const;
