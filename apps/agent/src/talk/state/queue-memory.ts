// The app's waiting messages, kept for the case that this window is loaded again.
import type { DraftStorage } from "./drafts.ts";
import { mostQueued } from "./outbox.ts";
import type { Prompt } from "./prompt.ts";

const key = "pagewire-queue";

export function keepQueue(storage: DraftStorage, queue: readonly Prompt[]): void {
  try {
    if (queue.length === 0) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(queue));
  } catch {
    // A browser that keeps nothing: they wait as long as this page is there.
  }
}

export function readQueue(storage: DraftStorage): readonly Prompt[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isQueued).slice(0, mostQueued) : [];
  } catch {
    return [];
  }
}

function isQueued(value: unknown): value is Prompt {
  const { text, images, from } = Object(value) as Partial<Record<keyof Prompt, unknown>>;
  return typeof text === "string" && Array.isArray(images) && images.length === 0 && typeof from === "string";
}
