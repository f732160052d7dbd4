// Uses the console's timeline as a person does, in the page itself: it scrolls, searches and filters, and measures frames.
// Its source is sent to the page, so it uses nothing from outside.

export interface FrameFigures {
  readonly frames: number;
  readonly p99: number;
  /** The longest time between two frames. */
  readonly longestFrame: number;
  /** Tasks that kept the page's thread for more than 50 ms, and the longest. */
  readonly longTasks: number;
  readonly longestTask: number;
  /** Rows that the list has now. */
  readonly rows: number;
}

export async function readTimeline(milliseconds: number): Promise<FrameFigures> {
  const tasks: number[] = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: "longtask" });
  const frames: number[] = [];
  const end = performance.now() + milliseconds;
  let last = 0;

  const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
  const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  const table = () => document.querySelector(".timeline .table");

  function follow(now: number): void {
    if (last > 0) frames.push(now - last);
    last = now;
    if (now < end) requestAnimationFrame(follow);
  }

  async function scroll(by: number): Promise<void> {
    for (let n = 0; n < 90; n++) {
      table()?.scrollBy(0, by);
      await nextFrame();
    }
  }

  async function search(text: string): Promise<void> {
    const field = document.querySelector<HTMLInputElement>(".filter-bar input[type=search]");
    if (!field) throw new Error("The timeline has no search field.");
    for (let n = 1; n <= Math.max(1, text.length); n++) {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, text.slice(0, n));
      field.dispatchEvent(new Event("input", { bubbles: true }));
      await pause(60);
    }
    await pause(1200);
  }

  async function choose(name: string): Promise<void> {
    const buttons = [...document.querySelectorAll<HTMLElement>(".filter-bar button")];
    buttons.find(({ textContent }) => textContent?.startsWith(name))?.click();
    await pause(1200);
  }

  requestAnimationFrame(follow);
  while (performance.now() < end) {
    await scroll(400);
    await scroll(-400);
    await pause(1500);
    await search("answer_3");
    await search("");
    await choose("Failed");
    await choose("All");
  }
  observer.disconnect();
  const sorted = frames.toSorted((one, other) => one - other);
  return {
    frames: frames.length,
    p99: sorted[Math.floor(0.99 * (sorted.length - 1))] ?? 0,
    longestFrame: sorted.at(-1) ?? 0,
    longTasks: tasks.length,
    longestTask: Math.max(0, ...tasks),
    rows: Number(table()?.getAttribute("aria-rowcount") ?? 1) - 1,
  };
}
