import type { TalkClock } from "../dom/clock.ts";

/** Milliseconds after a key during which the user counts as typing. */
const pause = 2000;

/** Whether the user is typing. */
export interface Typing {
  /** Also during an input method's composition, however long that takes. */
  readonly isNow: boolean;
  /** This is where the user types. */
  watch(field: HTMLElement): void;
}

export function createTyping(clock: Pick<TalkClock, "now">): Typing {
  let lastKey = -pause;
  let isComposing = false;

  function compose({ type }: Event): void {
    isComposing = type === "compositionstart";
    lastKey = clock.now();
  }

  return {
    get isNow() {
      return isComposing || clock.now() - lastKey < pause;
    },
    watch(field) {
      field.addEventListener("keydown", () => (lastKey = clock.now()));
      field.addEventListener("compositionstart", compose);
      field.addEventListener("compositionend", compose);
    },
  };
}
