/** An answer that was requested from a server and has not arrived. */
export interface PendingAnswer {
  /** Cancels the question if it was not sent yet. */
  readonly signal: AbortSignal;
  /** Resolves with null once the answer is abandoned. */
  readonly abandoned: Promise<null>;
  readonly isOver: boolean;
  /** Whether the server may have the question. */
  readonly isSent: boolean;
  end(): void;
}

export interface PendingAnswers {
  readonly size: number;
  add(): PendingAnswer;
  /** The server has all of them from here on, and may still answer abandoned ones. */
  markSent(): void;
  abandon(): void;
}

export function createPendingAnswers(isOpen: () => boolean): PendingAnswers {
  const pending = new Map<PendingAnswer, () => void>();
  const sent = new WeakSet<PendingAnswer>();

  return {
    get size() {
      return pending.size;
    },
    add() {
      const controller = new AbortController();
      let resolve: (answer: null) => void = () => {};
      const givenUp = new Promise<null>((settle) => (resolve = settle));
      const answer: PendingAnswer = {
        signal: controller.signal,
        abandoned: givenUp,
        get isOver() {
          return !pending.has(answer);
        },
        get isSent() {
          return sent.has(answer);
        },
        end: () => void pending.delete(answer),
      };
      pending.set(answer, () => {
        resolve(null);
        if (!sent.has(answer)) controller.abort();
      });
      if (isOpen()) sent.add(answer);
      return answer;
    },
    markSent() {
      for (const answer of pending.keys()) sent.add(answer);
    },
    abandon() {
      for (const [answer, settle] of [...pending]) {
        pending.delete(answer);
        settle();
      }
    },
  };
}
