export interface SizeWatch {
  /** Looks again, as soon as something is drawn. */
  look(): void;
  close(): void;
}

/** Calls back when an element has another size, and not while it is hidden or has none. */
export function watchSize(element: HTMLElement, onSize: () => void): SizeWatch {
  let frame: number | undefined;

  function look(): void {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      if (element.clientWidth > 0 && element.clientHeight > 0) onSize();
    });
  }

  const observer = new ResizeObserver(look);
  observer.observe(element);
  return {
    look,
    close() {
      observer.disconnect();
      if (frame !== undefined) cancelAnimationFrame(frame);
    },
  };
}
