import type { FromPage } from "../messages.ts";
import type { Captured } from "../reading/register-reading.ts";

/** Pictures of this page's tab, which only the worker can take. */
export interface Pictures {
  capture(): Promise<Captured>;
  captured(id: string, captured: Captured): void;
  /** The port is there again: the worker may not know what was asked. */
  repeat(): void;
  /** The port is gone for good. */
  end(): void;
}

export function createPictures(post: (message: FromPage) => void, newId: () => string): Pictures {
  const waiting = new Map<string, (captured: Captured) => void>();

  function captured(id: string, answer: Captured): void {
    const resolve = waiting.get(id);
    waiting.delete(id);
    resolve?.(answer);
  }

  return {
    capture() {
      const id = newId();
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        post({ type: "capture", capture: id });
      });
    },
    captured,
    repeat() {
      for (const id of waiting.keys()) post({ type: "capture", capture: id });
    },
    end() {
      for (const id of waiting.keys()) captured(id, { message: "The extension was switched off for this page." });
    },
  };
}
