// Which of the views of one terminal is in front: the one that had the focus last. Its size is the terminal's, and its
// tab is the one that programs act in. One that vanishes may only be reloading: the others wait for it a while.
import type { Clock } from "../link/index.ts";

/** What can be in front. */
export interface Viewer {
  readonly tab: string | undefined;
}

export interface Front<View extends Viewer> {
  /** The view in front; another that is there, where that one has just vanished. */
  readonly current: View | undefined;
  enter(view: View): void;
  /** The view's tab, focus or size was told. */
  told(view: View, hasFocus: boolean): void;
  leave(view: View): void;
  close(): void;
}

export interface FrontOptions<View extends Viewer> {
  readonly clock: Clock;
  readonly graceTime: number;
  /** This view is in front, or still is and something about it changed. */
  readonly onFront: (view: View) => void;
}

export function createFront<View extends Viewer>({ clock, graceTime, onFront }: FrontOptions<View>): Front<View> {
  /** The one that had the focus last is the last. */
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
