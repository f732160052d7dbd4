// An answer of the hub that a view shows, and what the user has the hub change in it.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "pagewire/wire";
import { toast } from "../ui/toasts.tsx";
import type { Session } from "./session.ts";

export interface HubAnswer<Value> {
  /** Undefined until it was read. */
  readonly value: Value | undefined;
  readonly error: unknown;
  read(): void;
  /** Takes over an answer that came with a change. */
  take(value: Value): void;
}

/** Reads a path of the hub's API when the view opens, and again when the user comes back to it. */
export function useAnswer<Value>(session: Pick<Session, "request">, path: string): HubAnswer<Value> {
  const [found, setFound] = useState<{ readonly value?: Value; readonly error?: unknown }>({});
  /** An answer that comes after a newer one was asked for or taken over is old. */
  const newest = useRef(0);
  const read = useCallback(() => {
    const own = ++newest.current;
    const isNew = () => own === newest.current;
    session.request("GET", path).then(
      (value) => isNew() && setFound({ value: value as Value }),
      (error: unknown) => isNew() && setFound((before) => ({ ...before, error })),
    );
  }, [session, path]);
  const take = (value: Value) => {
    newest.current++;
    setFound({ value });
  };
  useEffect(() => {
    read();
    const look = () => document.hidden || read();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [read]);
  return { value: found.value, error: found.error, read, take };
}

/** One change at a time: `busy` names the one under way. A failure is shown in a toast, unless it is caught. */
export function useChange(): readonly [
  busy: string | undefined,
  change: (name: string, work: () => Promise<unknown>) => void,
] {
  const [busy, setBusy] = useState<string>();
  const change = (name: string, work: () => Promise<unknown>) => {
    if (busy !== undefined) return;
    setBusy(name);
    work()
      .catch((error: unknown) => toast({ text: messageOf(error), tone: "bad" }))
      .finally(() => setBusy(undefined));
  };
  return [busy, change];
}
