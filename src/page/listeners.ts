import { createListeners as createListenersOf } from "../toolbox/index.ts";
import type { Listeners } from "../toolbox/index.ts";

/** Some who want to hear of something. What one throws is reported as an error that nobody caught. */
export function createListeners<Event>(): Listeners<Event> {
  return createListenersOf((error) => reportError(error));
}
