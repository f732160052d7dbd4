// The code with which a person signs in at a git host's own page, while a program in the terminal waits for that: shown
// in a dialog until the program says how it ended, or the person closes it.
import { openDialog } from "../../dialog/open-dialog.ts";
import { countDown } from "./count-down.ts";
import { credentialStyles } from "./credential-styles.ts";
import type { CredentialTarget } from "./credential-request.ts";
import { createDeviceView } from "./device-view.ts";
import { readDeviceCode } from "./device-code.ts";
import { deviceStyles } from "./device-styles.ts";
import { hostOf, placeOf } from "./where.ts";

/** Ends a sign-in: with a reason where it failed. */
type End = (why?: string) => void;

/** The sign-ins that have a dialog, by the place that they are at: one each. */
const shown = new Map<string, End>();

/** Shows a code; another one for the same place takes its place. Throws where it cannot be shown as it is. */
export function showDeviceCode(target: CredentialTarget, input: Record<string, unknown>): void {
  const code = readDeviceCode(input);
  const view = createDeviceView(target, code);
  const place = placeOf(target);
  const closing = new AbortController();
  const close = () => closing.abort();
  const end: End = (why) => {
    stopCounting();
    // A reason stays until somebody has read it.
    if (why === undefined) close();
    else view.fail(why);
  };
  const stopCounting = code.time === undefined ? () => {} : countDown(code.time, view.showTime, () => end(expired));
  shown.get(place)?.();
  shown.set(place, end);
  // A page that waits in the back/forward cache has been left, too.
  addEventListener("pagehide", close);
  const closed = openDialog({
    title: `Sign in to ${hostOf(target)}`,
    message: "A command in your terminal needs you to sign in.",
    body: view.elements,
    decline: "Close",
    styles: [credentialStyles(), deviceStyles()],
    signal: closing.signal,
  });
  void closed.finally(() => {
    stopCounting();
    removeEventListener("pagehide", close);
    if (shown.get(place) === end) shown.delete(place);
  });
}

const expired = "The code has expired. Run the command again.";

/** Takes the dialog away, or has it say why the sign-in failed. One that was closed stays closed. */
export function endDeviceFlow(target: CredentialTarget, why?: string): void {
  shown.get(placeOf(target))?.(why);
}
