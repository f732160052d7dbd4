/** How a page speaks to its hub, independent of the transport. */
export interface Speaker {
  /** The socket is open. */
  opened(): void;
  receive(message: string): void;
}

export interface SpeakerOptions {
  /** The tab's id. */
  readonly tab: string;
  readonly tools: readonly object[];
  readonly token?: string | undefined;
  send(message: string): void;
  /** To be called when the hub knows what the page offers, as far as the page can tell. */
  ready(): void;
}

export type CreateSpeaker = (options: SpeakerOptions) => Speaker;

/** Ways to speak that Node's pages know; those of a browser bring their own. */
export type SpeakerName = "floor" | "batching-floor" | "json" | "birpc" | "wire";
