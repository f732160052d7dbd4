// Elements, a clock and buttons, for pages that are written by hand.
export { createAnnouncer } from "./announcer.ts";
export { createArming } from "./arming.ts";
export type { Arming } from "./arming.ts";
export { browserClock } from "./clock.ts";
export { html, show } from "./dom.ts";
export { whenText } from "./when-text.ts";
