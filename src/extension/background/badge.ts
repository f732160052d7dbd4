import type { ExtensionApi } from "../browser-api.ts";

/** The few signs on the extension's button. */
export interface Badge {
  pause(isPaused: boolean): void;
  calls(tab: number, running: number): void;
  asks(tab: number, waiting: number): void;
  forget(tab: number): void;
}

const accent = "#3b5bdb";
/** How long a call is still shown after its end, in milliseconds: a short one would not be seen, and each change costs time. */
const shownTime = 500;

export function createBadge({ action }: Pick<ExtensionApi, "action">): Badge {
  const running = new Map<number, number>();
  const waiting = new Map<number, number>();
  const shown = new Map<number, string | null>();
  const hiding = new Set<number>();

  /** The tab may be gone. */
  const set = (text: string | null, tabId?: number) =>
    void action.setBadgeText({ text, ...(tabId !== undefined && { tabId }) }).catch(() => {});

  function show(tab: number): void {
    const text = waiting.get(tab) ? "!" : running.get(tab) ? "…" : null;
    if (shown.has(tab) && shown.get(tab) === text) return;
    shown.set(tab, text);
    set(text, tab);
  }

  action.setBadgeBackgroundColor({ color: accent }).catch(console.error);

  return {
    pause: (isPaused) => set(isPaused ? "❚❚" : ""),
    calls(tab, count) {
      running.set(tab, count);
      if (count > 0) return show(tab);
      if (hiding.has(tab)) return;
      hiding.add(tab);
      setTimeout(() => {
        hiding.delete(tab);
        show(tab);
      }, shownTime);
    },
    asks(tab, count) {
      waiting.set(tab, count);
      show(tab);
    },
    forget(tab) {
      running.delete(tab);
      waiting.delete(tab);
      shown.delete(tab);
    },
  };
}
