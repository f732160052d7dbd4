import { PagewireError } from "../../../wire/index.ts";

const loudness = 0.3;
/** Fades a tone in and out, so that it does not click. */
const fadeSeconds = 0.015;
/** A browser that forbids sound never settles `resume()`. */
const startTimeout = 1500;

export interface Tone {
  readonly frequency: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Resolves when the tone ended; rejects with `action-unavailable` where the browser does not allow sound yet. */
export async function playTone({ frequency, seconds, signal }: Tone): Promise<void> {
  const sound = await openSound();
  if (signal.aborted) return sound.close();
  const tone = new OscillatorNode(sound, { frequency });
  const volume = new GainNode(sound, { gain: 0 });
  const from = sound.currentTime;
  const fade = Math.min(fadeSeconds, seconds / 2);
  volume.gain.setTargetAtTime(loudness, from, fade / 3);
  volume.gain.setTargetAtTime(0, from + seconds - fade, fade / 3);
  tone.connect(volume).connect(sound.destination);
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve();
    tone.onended = end;
    // If the browser has suspended audio, the tone itself never ends.
    signal.addEventListener("abort", end, { once: true });
  });
  tone.start(from);
  tone.stop(from + seconds);
  await ended;
  await sound.close();
}

async function openSound(): Promise<AudioContext> {
  const sound = new AudioContext();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timedOut = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, startTimeout);
  });
  await Promise.race([sound.resume(), timedOut]);
  clearTimeout(timer);
  if (sound.state === "running") return sound;
  // Left open, it would start to play at some later click.
  await sound.close();
  throw new PagewireError(
    "action-unavailable",
    "The browser lets a page make no sound before somebody clicked or typed in it. Click in the page, and try again.",
  );
}
