import { PagewireError } from "../../../wire/index.ts";

/** How long a browser may take to begin: one that forbids sound says nothing at all. */
const patience = 1500;

/** What makes sound; throws where the browser does not allow it. To be closed by whoever opened it. */
export async function openSound(): Promise<AudioContext> {
  const sound = new AudioContext();
  let stopTimer = () => {};
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, patience);
    stopTimer = () => clearTimeout(timer);
  });
  await Promise.race([sound.resume(), late]);
  stopTimer();
  if (sound.state === "running") return sound;
  // Else it would begin in the midst of something else.
  await sound.close();
  throw new PagewireError(
    "action-unavailable",
    "The browser lets a page make no sound before somebody clicked or typed in it. Click in the page, and try again.",
  );
}
