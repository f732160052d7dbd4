interface Screen {
  requestAnimationFrame?(run: () => void): number;
  cancelAnimationFrame?(frame: number): void;
}

export interface Frames {
  /** Runs soon; asked again before that, once. */
  ask(): void;
  /** What was asked for will not be run. */
  cancel(): void;
}

/** Gathers changes into one run for each frame of the screen. A page that is not shown has none: then a timer does it. */
export function createFrames(run: () => void): Frames {
  const screen = globalThis as Screen;
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function cancel(): void {
    clearTimeout(timer);
    timer = undefined;
    if (frame !== undefined) screen.cancelAnimationFrame?.(frame);
    frame = undefined;
  }

  function fire(): void {
    cancel();
    run();
  }

  return {
    cancel,
    ask() {
      if (timer !== undefined) return;
      frame = screen.requestAnimationFrame?.(fire);
      timer = setTimeout(fire, frame === undefined ? 16 : 100);
    },
  };
}
