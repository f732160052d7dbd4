import { createListeners } from "pagewire/toolbox";
import type { Listeners } from "pagewire/toolbox";

/** Listeners that miss nothing: what was told before the first of them came, that one hears. At most so many wait. */
export function createWaitingListeners<Event>(most: number): Listeners<Event> {
  const listeners = createListeners<Event>((error) => reportError(error));
  const waiting: Event[] = [];
  let isHeard = false;
  return {
    tell(event) {
      if (isHeard) listeners.tell(event);
      else if (waiting.length < most) waiting.push(event);
      else reportError(new Error(`More than ${most} messages came before anybody could take them: one is dropped.`));
    },
    add(listener) {
      const remove = listeners.add(listener);
      isHeard = true;
      for (const event of waiting.splice(0)) listeners.tell(event);
      return remove;
    },
    clear: listeners.clear,
  };
}
