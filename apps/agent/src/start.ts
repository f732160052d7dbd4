import { PagewireError, messageOf } from "pagewire/wire";
import type { SafeStorage } from "../../common/src/safe-storage.ts";
import { askToSignIn } from "./session/ask-to-sign-in.ts";
import { askToSwitch } from "./session/ask-to-switch.ts";
import { browserSession } from "./session/browser-session.ts";
import { openSession } from "./session/open-session.ts";
import { takeCode } from "../../common/src/sign-in-code.ts";
import { mountShell } from "./shell/mount-shell.ts";

/** Shows the page to a signed-in user, and else how to sign in; for as long as the document lives. */
export async function start(root: HTMLElement, storage: SafeStorage, first: string | undefined): Promise<never> {
  let code = first;
  for (;;) {
    const next = await showOnce(code);
    code = next.problem ? await signIn(next.problem) : next.code;
    // A hub that did not answer has not seen the code.
    if (code === undefined && next.problem?.code === "hub-unreachable") code = next.code;
  }

  async function showOnce(given: string | undefined): Promise<Next> {
    const maySwitch = (from: string, to: string) => askToSwitch(root, from, to);
    const session = await openSession(given, { ...browserSession, maySwitch }).catch(problemOf);
    if (PagewireError.isInstance(session)) return { problem: session, code: given };
    const shell = mountShell(root, session, storage);
    const over = new AbortController();
    const ended = session.ended.then((problem): Next => ({ problem }));
    const next = await Promise.race([ended, nextCode(over.signal).then((found): Next => ({ code: found }))]);
    over.abort();
    session.close();
    shell.close();
    return next;
  }

  async function signIn(problem: PagewireError): Promise<string | undefined> {
    const over = new AbortController();
    const { signal } = over;
    const isFramed = window.parent !== window;
    const { onElsewhere } = browserSession;
    const asked = askToSignIn({ root, problem, isFramed, onElsewhere, signal });
    const found = await Promise.race([asked, nextCode(signal)]);
    over.abort();
    return found;
  }
}

interface Next {
  readonly problem?: PagewireError;
  readonly code?: string | undefined;
}

/** A link with a code that is opened where this page is already: only the end of its address changes. */
function nextCode(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const hear = (): void => {
      const code = takeCode(location, history);
      if (code !== undefined) resolve(code);
    };
    addEventListener("hashchange", hear, { signal });
  });
}

function problemOf(error: unknown): PagewireError {
  if (PagewireError.isInstance(error)) return error;
  return new PagewireError("internal-error", `This page could not begin: ${messageOf(error)}`, { cause: error });
}
