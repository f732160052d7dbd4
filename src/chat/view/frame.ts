import { html, icon } from "../dom/dom.ts";
import { icons } from "./icons.ts";

/** A smaller distance from the end counts as being at the end. */
const near = 32;

interface EndFollower {
  /** Whether the reader is at the end, and follows new content. */
  readonly isFollowing: boolean;
  toEnd(): void;
  close(): void;
}

/** Keeps a scroller at its end while the reader is there; `onChange` reports when that changes. */
function followEnd(scroller: HTMLElement, content: Element, onChange: () => void): EndFollower {
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

  /** Either the reader scrolled up, or the content became shorter. */
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

export interface FrameParts {
  readonly empty: HTMLElement;
  readonly outcome: HTMLElement;
  readonly notSaved: HTMLElement;
  readonly queue: HTMLElement;
  readonly composer: HTMLElement;
}

export interface Frame {
  readonly scroller: HTMLElement;
  /** The container of the turns. */
  readonly log: HTMLElement;
  readonly content: HTMLElement;
  readonly follower: EndFollower;
  /** Puts the rest in its places. */
  fill(parts: FrameParts): void;
}

/** The talk's layout. The log is not a live region: changes are announced in words. */
export function createFrame(element: HTMLElement): Frame {
  const log = html("div", { class: "turns", role: "log", "aria-live": "off", "aria-label": "Conversation" });
  // The headings of answers are below this one.
  const heading = html("h2", { class: "visually-hidden" }, "Conversation");
  const content = html("div", { class: "talk-content" }, heading, log);
  const scroller = html(
    "div",
    { class: "talk-scroll", tabindex: "0", role: "region", "aria-label": "Messages" },
    content,
  );
  const toEnd = html(
    "button",
    { type: "button", class: "to-end", onclick: () => follower.toEnd(), hidden: true },
    icon(icons.end),
    "To the end",
  );
  let isPressed = false;
  const follower = followEnd(scroller, content, showToEnd);

  /**
   * Never under a pressed pointer: it would get the click that was meant for the element below, such as an answer to a
   * question.
   */
  function showToEnd(): void {
    if (!isPressed) toEnd.hidden = follower.isFollowing;
  }

  element.addEventListener("pointerdown", () => {
    isPressed = true;
    const released = new AbortController();
    const release = () => {
      released.abort();
      isPressed = false;
      // The click event follows the release.
      setTimeout(showToEnd);
    };
    for (const event of ["pointerup", "pointercancel"])
      window.addEventListener(event, release, { signal: released.signal, capture: true });
  });
  return {
    scroller,
    log,
    content,
    follower,
    fill({ empty, outcome, notSaved, queue, composer }) {
      content.prepend(empty);
      content.append(outcome);
      element.append(scroller, html("div", { class: "talk-foot" }, toEnd, notSaved, queue, composer));
    },
  };
}
