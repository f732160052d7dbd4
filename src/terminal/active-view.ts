// Chooses the active view of a terminal: the last one that had the focus. The terminal has its size, and programs act in its
// tab. An active view that disconnects may be reloading, so another one takes over only after a grace period.
import type { Clock } from "../link/index.ts";

export interface Viewer {
  readonly tab: string | undefined;
}

export interface ActiveViewOptions<View extends Viewer> {
  readonly clock: Clock;
  readonly graceTime: number;
  /** The view became active. */
  readonly onActive: (view: View) => void;
  /** The active view changed its tab or size, or lost the focus. */
  readonly onChanged: (view: View) => void;
}

export class ActiveView<View extends Viewer> {
  readonly #options: ActiveViewOptions<View>;
  /** Ordered by last focus, the newest last. */
  #views: View[] = [];
  /** It may be disconnected. */
  #holder: View | undefined;
  #stopWaiting: (() => void) | undefined;

  constructor(options: ActiveViewOptions<View>) {
    this.#options = options;
  }

  /** The active view, or another one while that is disconnected. */
  get current(): View | undefined {
    return this.#views.find((each) => each === this.#holder) ?? this.#views.at(-1);
  }

  enter(view: View): void {
    this.#views = [view, ...this.#views];
    if (this.#views.length === 1) this.#activate(view);
  }

  /** The view reported its tab, focus or size. */
  update(view: View, hasFocus: boolean): void {
    const holder = this.#holder;
    const isBack = !this.#views.some((each) => each === holder) && view.tab !== undefined && view.tab === holder?.tab;
    if (hasFocus || isBack) this.#activate(view);
    else if (view === holder) this.#options.onChanged(view);
  }

  leave(view: View): void {
    this.#views = this.#views.filter((each) => each !== view);
    if (view !== this.#holder || this.#views.length === 0) return;
    this.close();
    this.#stopWaiting = this.#options.clock.after(this.#options.graceTime, () => {
      const next = this.#views.at(-1);
      if (next) this.#activate(next);
    });
  }

  close(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
  }

  #activate(view: View): void {
    this.close();
    this.#views = [...this.#views.filter((each) => each !== view), view];
    this.#holder = view;
    this.#options.onActive(view);
  }
}
