import { element } from "../../dialog/element.ts";
import { copyText } from "../clipboard/clipboard-write.ts";
import type { CredentialTarget } from "./credential-request.ts";
import type { DeviceCode } from "./device-code.ts";
import { hostOf } from "./where.ts";

/** What the dialog of a sign-in shows. */
export interface DeviceView {
  readonly elements: readonly HTMLElement[];
  showTime(left: string): void;
  /** Shows why there is nothing to enter any more. */
  fail(why: string): void;
}

export function createDeviceView(target: CredentialTarget, { text, url }: DeviceCode): DeviceView {
  const note = element("p", { tabIndex: -1 });
  const words = element("p", { textContent: "Open the page, and enter this code there." });
  const code = element("output", { textContent: text, ariaLabel: "Code" });
  const copy = element("button", { type: "button", textContent: "Copy", autofocus: true });
  const row = element("div", { className: "code" });
  const link = element("a", { href: url.href, target: "_blank", rel: "noopener noreferrer" });
  const time = element("p", { role: "timer" });
  note.setAttribute("role", "status");
  link.textContent = `Open ${url.host}`;
  row.append(code, copy);
  copy.addEventListener("click", ({ isTrusted }) => {
    if (!isTrusted) return;
    const say = (said: string) => () => void (copy.textContent = said);
    copyText(text).then(say("Copied"), say("Not copied: select it"));
  });
  if (!isAt(url, target)) warn(`The page is at ${url.host}, not at ${hostOf(target)}.`);

  function warn(problem: string): void {
    note.className = "warning";
    note.textContent = problem;
  }

  return {
    elements: [note, words, row, link, time],
    showTime: (left) => void (time.textContent = `The code is good for ${left}.`),
    fail(why) {
      for (const useless of [words, row, link, time]) useless.remove();
      warn(why);
      // What had the focus is gone.
      note.focus();
    },
  };
}

/** Whether the page is at the host that git asks for. */
function isAt({ hostname }: URL, { host }: CredentialTarget): boolean {
  return URL.canParse(`https://${host}`) && new URL(`https://${host}`).hostname.replace(/^www\./, "") === hostname;
}
