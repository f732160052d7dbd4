// The OAuth device flow: shows the code to enter at a git host's page, until the program in the terminal reports the
// end or the user closes the dialog.
import { openDialog, element } from "../../dialog/open-dialog.ts";
import { credentialStyles } from "./ask-credential.ts";
import { createRemember } from "./credential-fields.ts";
import { hostOf, placeOf, visibleText } from "./credential-request.ts";
import type { CredentialTarget } from "./credential-request.ts";
import { copyText } from "../clipboard/clipboard-write.ts";
import { actionRefused } from "../registration/action.ts";
import { systemClock } from "../../../link/index.ts";

const second = 1000;

/** Calls `show` every second with the time left, and `ended` at the end. Returns a function that cancels it. */
function countDown(time: number, show: (left: string) => void, ended: () => void): () => void {
  const end = systemClock.now() + time;
  let stop = () => {};
  const tick = () => {
    const left = Math.ceil((end - systemClock.now()) / second);
    if (left <= 0) return ended();
    show(`${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`);
    stop = systemClock.after(second, tick);
  };
  tick();
  return () => stop();
}

let sheet: CSSStyleSheet | undefined;

/** Styles that only this dialog needs. */
function deviceStyles(): CSSStyleSheet {
  if (sheet) return sheet;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    .code { display: grid; grid-template-columns: 1fr auto; align-items: center; gap: 0.5rem; margin: 0 0 1rem; }
    output { padding: 0.5rem 0.75rem; border-radius: 8px; background: color-mix(in srgb, CanvasText 7%, Canvas); font: 600 1.5rem/1.3 ui-monospace, monospace; letter-spacing: 0.08em; text-align: center; overflow-wrap: anywhere; user-select: all; }
    a { display: block; padding: 0.55rem 1.1rem; border-radius: 8px; background: light-dark(#3451c6, #9db1ff); color: light-dark(#fff, #10162e); font-weight: 600; text-align: center; text-decoration: none; overflow-wrap: anywhere; }
    .remember { margin: 0.75rem 0 0; }
    [role="timer"] { margin: 1rem 0 0; opacity: 0.75; font-variant-numeric: tabular-nums; }
    [role="timer"]:empty, [role="status"]:empty { display: none; }
  `);
  return sheet;
}

/** A code that a person enters at a page of a git host's. */
export interface DeviceCode {
  readonly text: string;
  readonly url: URL;
  /** Milliseconds until it expires; undefined if it is not known. */
  readonly time: number | undefined;
}

/** How long a code of GitHub's is good, in seconds, as its documentation has it. */
const githubTime = 900;
const githubHost = /^(www\.)?github\.com$/;

/** Max characters: longer codes are not meant to be typed. */
const longestCode = 64;

/** Reads the arguments of a call; a page that a person should not be sent to is refused. */
function readDeviceCode(input: Record<string, unknown>, { host }: CredentialTarget): DeviceCode {
  const text = visibleText(input, "user_code")?.trim() ?? "";
  const address = visibleText(input, "verification_uri") ?? "";
  // The other project's helper does not report it.
  const { expires_in: seconds = githubHost.test(host) ? githubTime : undefined } = input;
  if (text === "" || text.length > longestCode)
    throw actionRefused(`"user_code" must be a code of 1 to ${longestCode} characters.`);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw actionRefused('"verification_uri" must be an https address, without a name before the host.');
  return { text, url, time: typeof seconds === "number" && seconds > 0 ? seconds * 1000 : undefined };
}

/** Ends a sign-in; with a reason if it failed. Returns whether its user wants the credential to be remembered. */
type End = (why?: string) => boolean;

/** Open dialogs by place, at most one each. */
const shown = new Map<string, End>();

/** Shows a code, in place of an open one for the same host. Throws where it has characters that cannot be shown. */
export function showDeviceCode(target: CredentialTarget, input: Record<string, unknown>): void {
  const code = readDeviceCode(input, target);
  const view = createDeviceView(target, code);
  const place = placeOf(target);
  const closing = new AbortController();
  const close = () => closing.abort();
  const end: End = (why) => {
    stopCounting();
    // The reason of a failure is shown until the user closes the dialog.
    if (why === undefined) close();
    else view.fail(why);
    return why === undefined && view.isRemembered();
  };
  const stopCounting = code.time === undefined ? () => {} : countDown(code.time, view.showTime, () => end(expired));
  shown.get(place)?.();
  shown.set(place, end);
  // Also fires when the page enters the back/forward cache.
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

/**
 * Closes the dialog, or shows in it why the sign-in failed. A dialog that the user closed is not reopened. Returns whether the
 * credential is to be remembered.
 */
export function endDeviceFlow(target: CredentialTarget, why?: string): boolean {
  return shown.get(placeOf(target))?.(why) ?? false;
}

/** The content of a sign-in dialog. */
interface DeviceView {
  readonly elements: readonly HTMLElement[];
  showTime(left: string): void;
  isRemembered(): boolean;
  /** Shows why there is nothing to enter any more. */
  fail(why: string): void;
}

function createDeviceView(target: CredentialTarget, { text, url }: DeviceCode): DeviceView {
  const note = element("p", { tabIndex: -1 });
  const words = element("p", { textContent: "Open the page, and enter this code there." });
  const code = element("output", { textContent: text, ariaLabel: "Code" });
  const copy = element("button", { type: "button", textContent: "Copy", autofocus: true });
  const row = element("div", { className: "code" });
  const link = element("a", { href: url.href, target: "_blank", rel: "noopener noreferrer" });
  const time = element("p", { role: "timer" });
  const remember = createRemember();
  note.setAttribute("role", "status");
  link.textContent = `Open ${url.host}`;
  row.append(code, copy);
  copy.addEventListener("click", ({ isTrusted }) => {
    if (!isTrusted) return;
    const say = (text: string) => () => void (copy.textContent = text);
    copyText(text).then(say("Copied"), say("Not copied: select it"));
  });
  if (!isAt(url, target)) warn(`The page is at ${url.host}, not at ${hostOf(target)}.`);

  function warn(problem: string): void {
    note.className = "warning";
    note.textContent = problem;
  }

  return {
    elements: [note, words, row, link, time, remember.row],
    isRemembered: remember.isChecked,
    showTime: (left) => void (time.textContent = `The code is good for ${left}.`),
    fail(why) {
      for (const useless of [words, row, link, time, remember.row]) useless.remove();
      warn(why);
      // The focused element was removed.
      note.focus();
    },
  };
}

/** Whether the page's host is the one that git asks for. */
function isAt({ hostname }: URL, { host }: CredentialTarget): boolean {
  return URL.canParse(`https://${host}`) && new URL(`https://${host}`).hostname.replace(/^www\./, "") === hostname;
}
