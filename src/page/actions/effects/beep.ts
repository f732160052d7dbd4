import type { Action } from "../action.ts";

const loudness = 0.3;
/** So that a tone begins and ends without a crack. */
const softSeconds = 0.015;

let last: Promise<unknown> = Promise.resolve();

/** A tone, to call somebody to the page. Several are heard one after the other. */
export function beep(): Action {
  return {
    name: "beep",
    async handler({ frequency, duration }, { signal }) {
      const tone = { frequency: numberOr(440, frequency), seconds: numberOr(600, duration) / 1000, signal };
      const turn = last.then(() => (signal.aborted ? undefined : playTone(tone)));
      last = turn.catch(() => undefined);
      await turn;
      return "Beep played.";
    },
    options: {
      title: "Beep",
      description: "Plays a tone in the page.",
      inputSchema: {
        type: "object",
        properties: {
          frequency: { type: "number", minimum: 20, maximum: 20_000, description: "In hertz; 440 by default." },
          duration: { type: "number", minimum: 1, maximum: 10_000, description: "In milliseconds; 600 by default." },
        },
      },
    },
  };
}

function numberOr(usual: number, value: unknown): number {
  return typeof value === "number" ? value : usual;
}

interface Tone {
  readonly frequency: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

async function playTone({ frequency, seconds, signal }: Tone): Promise<void> {
  const { openSound } = await import("./sound.ts");
  const sound = await openSound();
  if (signal.aborted) return sound.close();
  const tone = new OscillatorNode(sound, { frequency });
  const volume = new GainNode(sound, { gain: 0 });
  const from = sound.currentTime;
  const soft = Math.min(softSeconds, seconds / 2);
  volume.gain.setTargetAtTime(loudness, from, soft / 3);
  volume.gain.setTargetAtTime(0, from + seconds - soft, soft / 3);
  tone.connect(volume).connect(sound.destination);
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve();
    tone.onended = end;
    // Where the browser has suspended the sound, the tone itself never ends.
    signal.addEventListener("abort", end, { once: true });
  });
  tone.start(from);
  tone.stop(from + seconds);
  await ended;
  await sound.close();
}
