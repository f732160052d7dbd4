const seconds = 0.35;

/** The sound of a large soft ball that hits a wall, from where it hits: -1 is left, 1 is right. */
export function thump(sound: AudioContext, { pan }: { readonly pan: number }): void {
  const from = sound.currentTime;
  const tone = new OscillatorNode(sound, { type: "triangle", frequency: 190 });
  tone.frequency.exponentialRampToValueAtTime(55, from + seconds);
  const volume = new GainNode(sound, { gain: 0.5 });
  volume.gain.exponentialRampToValueAtTime(0.001, from + seconds);
  const place = new StereoPannerNode(sound, { pan: Math.max(-1, Math.min(1, pan)) });
  tone.connect(volume).connect(place).connect(sound.destination);
  tone.start(from);
  tone.stop(from + seconds);
}
