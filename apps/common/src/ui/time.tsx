import { computed, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { whenText } from "pagewire/chat/dom";

let timer: ReturnType<typeof setInterval> | undefined;

/** The time, each second while something shows it. */
export const now = signal(Date.now(), {
  watched() {
    this.value = Date.now();
    timer = setInterval(() => (this.value = Date.now()), 1000);
  },
  unwatched: () => clearInterval(timer),
});

/** How long ago something was, with the exact time as its title. */
export function Time({ at }: { readonly at: number }) {
  const date = new Date(at);
  const text = useMemo(() => computed(() => agoText(at, now.value)), [at]);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString([], { dateStyle: "medium", timeStyle: "medium" })}>
      {text}
    </time>
  );
}

/** When something ends. */
export function Until({ at }: { readonly at: number }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()}>{date.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}</time>
  );
}

export function agoText(at: number, current: number): string {
  const seconds = Math.floor((current - at) / 1000);
  if (seconds < 2) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 6 * 3600 ? `${Math.floor(seconds / 3600)} h ago` : whenText(at, current);
}

/** A duration as a short text. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1) return "< 1 ms";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
