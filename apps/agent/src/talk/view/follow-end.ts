/** Less than this from the end counts as being there. */
const near = 32;

export interface EndFollower {
  /** Whether the reader is at the end, and stays there as more comes. */
  readonly isFollowing: boolean;
  toEnd(): void;
  close(): void;
}

/** Keeps a scroller at its end for as long as the reader is there; `onChange` hears when that changes. */
export function followEnd(scroller: HTMLElement, content: Element, onChange: () => void): EndFollower {
  let isFollowing = true;
  let last = 0;

  function become(value: boolean): void {
    if (isFollowing === value) return;
    isFollowing = value;
    onChange();
  }

  function toEnd(): void {
    scroller.scrollTop = scroller.scrollHeight;
    last = scroller.scrollTop;
    become(true);
  }

  /** Only the reader scrolls upwards, or the end came up. */
  function look(): void {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    if (scrollHeight - scrollTop - clientHeight < near) become(true);
    else if (scrollTop < last) become(false);
    last = scrollTop;
  }

  const observer = new ResizeObserver(() => isFollowing && toEnd());
  observer.observe(content);
  observer.observe(scroller);
  scroller.addEventListener("scroll", look, { passive: true });
  return {
    get isFollowing() {
      return isFollowing;
    },
    toEnd,
    close() {
      observer.disconnect();
      scroller.removeEventListener("scroll", look);
    },
  };
}
