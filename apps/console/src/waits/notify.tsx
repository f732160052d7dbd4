// Browser notifications of what waits: asked for by a button, never by themselves.
import { effect } from "@preact/signals";
import { useState } from "preact/hooks";
import { Button } from "../../../common/src/ui/index.ts";
import type { Inbox } from "./inbox.ts";
import { titleOf, whoAsks } from "./words.ts";

const canNotify = "Notification" in globalThis && isSecureContext;

export function NotifyButton() {
  const [permission, setPermission] = useState(canNotify ? Notification.permission : "denied");
  if (!canNotify) return null;
  if (permission === "granted") return <span class="hint">This browser notifies you, while the console is open.</span>;
  if (permission === "denied") return <span class="hint">Notifications are blocked in this browser's settings.</span>;
  return (
    <Button small onClick={() => void Notification.requestPermission().then(setPermission)}>
      Notify me in this browser
    </Button>
  );
}

/** Notifies of what is new while the console is in the background. Returns a function that ends that. */
export function notifyOf(inbox: Pick<Inbox, "waits">): () => void {
  let known: ReadonlySet<string> | undefined;
  return effect(() => {
    const waits = inbox.waits.value;
    if (!waits) return;
    const before = known;
    known = new Set(waits.map(({ id }) => id));
    if (!before || !canNotify || Notification.permission !== "granted" || !document.hidden) return;
    const fresh = waits.filter(({ id }) => !before.has(id));
    const [first] = fresh;
    if (!first) return;
    const title = fresh.length === 1 ? titleOf(first) : `${fresh.length} decisions wait for you`;
    // One notification at a time: the newest says it all.
    const notification = new Notification(title, { body: whoAsks(first), tag: "pagewire-waits" });
    notification.onclick = () => {
      window.focus();
      location.hash = "#/waits";
      notification.close();
    };
  });
}
