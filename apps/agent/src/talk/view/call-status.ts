import type { CallTurn } from "../state/turns.ts";
import type { icons } from "./icons.ts";

interface StatusLook {
  readonly words: string;
  readonly icon: keyof typeof icons;
}

const looks: Readonly<Record<CallTurn["status"], StatusLook>> = {
  streaming: { words: "Being written", icon: "running" },
  waiting: { words: "Waits for you", icon: "waiting" },
  running: { words: "Running", icon: "running" },
  done: { words: "Done", icon: "done" },
  failed: { words: "Failed", icon: "failed" },
  refused: { words: "Not allowed", icon: "refused" },
  stopped: { words: "Stopped", icon: "stop" },
};

/** How a call is, in words and as a drawing; with the time that it took, where that was seen. */
export function callStatus(status: CallTurn["status"], seconds: number | undefined): StatusLook {
  const { words, icon } = looks[status];
  if (seconds === undefined) return { words, icon };
  return { words: `${words} · ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`, icon };
}
