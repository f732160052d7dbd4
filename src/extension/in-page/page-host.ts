// The page's own Pagewire script, if it has one: with the same hub it offers the page's tools itself, and one name is one tool.
import { isLoopback } from "../is-loopback.ts";
import { isJsonObject, parseJsonObject } from "../../wire/index.ts";

const asking = "pagewire-host?";
const answering = "pagewire-host";
const changing = "pagewire-host-changed";

/** Whether a script of the page is connected to this hub now. What a page says falsely only keeps its own tools away. */
export function isHostedAt(hub: string): boolean {
  let isThere = false;
  const onAnswer = ({ detail }: Event & { readonly detail?: unknown }) => {
    const host = typeof detail === "string" ? parseJsonObject(detail, 8) : undefined;
    if (!isJsonObject(host)) return;
    isThere ||= host["status"] === "connected" && isSameHub(host["hub"], hub);
  };
  document.addEventListener(answering, onAnswer);
  document.dispatchEvent(new Event(asking));
  document.removeEventListener(answering, onAnswer);
  return isThere;
}

/** In milliseconds. */
const restTime = 1000;

/** `run` tells whether it changed something: a page that goes to and fro changes something once a second. */
export function onHostChanged(run: () => boolean, signal: AbortSignal): void {
  let isResting = false;
  let isStale = false;
  const look = (): void => {
    isStale = isResting;
    if (isResting || signal.aborted || !run()) return;
    isResting = true;
    setTimeout(() => {
      isResting = false;
      if (isStale) look();
    }, restTime);
  };
  // In a task of its own: the page's script may be in the middle of its change.
  document.addEventListener(changing, () => void setTimeout(look), { signal });
}

/** All names of this computer are one hub's. */
function isSameHub(one: unknown, other: string): boolean {
  if (typeof one !== "string" || !URL.canParse(one)) return false;
  const [here, there] = [new URL(one), new URL(other)].map(({ protocol, hostname, port }) => {
    return [protocol, isLoopback(hostname) ? "loopback" : hostname, port].join(" ");
  });
  return here === there;
}
