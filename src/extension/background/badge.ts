import type { ExtensionApi } from "../browser-api.ts";

/** What the extension's button says in one look. */
export interface Badge {
  pause(isPaused: boolean): void;
  calls(tab: number, running: number): void;
  asks(tab: number, waiting: number): void;
  forget(tab: number): void;
}

const accent = "#3b5bdb";

export function createBadge({ action }: Pick<ExtensionApi, "action">): Badge {
  const running = new Map<number, number>();
  const waiting = new Map<number, number>();

  /** The tab may be gone. */
  const set = (text: string | null, tabId?: number) =>
    void action.setBadgeText({ text, ...(tabId !== undefined && { tabId }) }).catch(() => {});

  function show(tab: number): void {
    set(waiting.get(tab) ? "!" : running.get(tab) ? "…" : null, tab);
  }

  action.setBadgeBackgroundColor({ color: accent }).catch(console.error);

  return {
    pause: (isPaused) => set(isPaused ? "❚❚" : ""),
    calls(tab, count) {
      running.set(tab, count);
      show(tab);
    },
    asks(tab, count) {
      waiting.set(tab, count);
      show(tab);
    },
    forget(tab) {
      running.delete(tab);
      waiting.delete(tab);
    },
  };
}
