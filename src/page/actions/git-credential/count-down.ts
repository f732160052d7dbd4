import { systemClock } from "../../../link/index.ts";

const second = 1000;

/** Says each second how much time is left, and then that there is none. Returns a function that gives it up. */
export function countDown(time: number, show: (left: string) => void, ended: () => void): () => void {
  const end = systemClock.now() + time;
  let stop = () => {};
  const tick = () => {
    const left = Math.ceil((end - systemClock.now()) / second);
    if (left <= 0) return ended();
    show(`${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`);
    stop = systemClock.after(second, tick);
  };
  tick();
  return () => stop();
}
