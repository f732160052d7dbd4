// Chooses the active view of a terminal: the last one that had the focus. The terminal has its size, and programs act in its
// tab. An active view that disconnects may be reloading, so another one takes over only after a grace period.
import type { Clock } from "../link/index.ts";

export interface Viewer {
  readonly tab: string | undefined;
}

export interface ActiveView<View extends Viewer> {
  /** The active view, or another one while that is disconnected. */
  readonly current: View | undefined;
  enter(view: View): void;
  /** The view reported its tab, focus or size. */
  told(view: View, hasFocus: boolean): void;
  leave(view: View): void;
  close(): void;
}

export interface ActiveViewOptions<View extends Viewer> {
  readonly clock: Clock;
  readonly graceTime: number;
  /** The view became active, or changed while active. */
  readonly onFront: (view: View) => void;
}

export function createActiveView<View extends Viewer>({
  clock,
  graceTime,
  onFront,
}: ActiveViewOptions<View>): ActiveView<View> {
  /** Ordered by last focus, the newest last. */
  let views: View[] = [];
  let holder: View | undefined;
  let stopWaiting: (() => void) | undefined;

  function close(): void {
    stopWaiting?.();
    stopWaiting = undefined;
  }

  function take(view: View): void {
    close();
    views = [...views.filter((each) => each !== view), view];
    holder = view;
    onFront(view);
  }

  return {
    get current() {
      return views.find((each) => each === holder) ?? views.at(-1);
    },
    enter(view) {
      views = [view, ...views];
      if (views.length === 1) take(view);
    },
    told(view, hasFocus) {
      const isBack = !views.some((each) => each === holder) && view.tab !== undefined && view.tab === holder?.tab;
      if (hasFocus || isBack) take(view);
      else if (view === holder) onFront(view);
    },
    leave(view) {
      views = views.filter((each) => each !== view);
      if (view !== holder || views.length === 0) return;
      close();
      stopWaiting = clock.after(graceTime, () => {
        const next = views.at(-1);
        if (next) take(next);
      });
    },
    close,
  };
}
