import { render } from "preact";
import type { ComponentChildren } from "preact";
import { PagewireError, messageOf } from "pagewire/wire";
import { askAgain } from "./ask-again.tsx";
import { askHub } from "./ask-hub.ts";
import { Brand, askToSignIn } from "./ask-to-sign-in.tsx";
import { askToSwitch } from "./ask-to-switch.tsx";
import { browserSession } from "./browser-session.ts";
import { openSession } from "./open-session.ts";
import type { LiveSession } from "./open-session.ts";
import { readProviders } from "./providers.ts";
import { takeCode } from "../sign-in-code.ts";
import { nameOf } from "./session.ts";

export interface PageParts {
  readonly root: HTMLElement;
  /** The code that the page was opened with. */
  readonly code: string | undefined;
  /** The page of a signed-in user. */
  page(session: LiveSession): ComponentChildren;
}

/** Shows the page to a signed-in user, and else how to sign in; for as long as the document lives. */
export async function start({ root, code: first, page }: PageParts): Promise<never> {
  // It takes the place of the same text in the HTML, so that all that follows replaces it.
  root.replaceChildren();
  render(
    <p class="loading" role="status">
      Connecting to the hub
    </p>,
    root,
  );
  let code = first;
  for (;;) {
    const next = await showOnce(code);
    code = next.problem ? await signIn(next.problem) : next.code;
    // A hub that did not answer has not seen the code.
    if (code === undefined && next.problem?.code === "hub-unreachable") code = next.code;
  }

  async function showOnce(given: string | undefined): Promise<Next> {
    const maySwitch = (from: string, to: string) => askToSwitch(root, from, to);
    const parts = {
      ...{ ...browserSession, maySwitch },
      askAgain: async (problem: PagewireError, signal: AbortSignal) =>
        askAgain({ problem, signal, providers: await readProviders(askHub) }),
    };
    const session = await openSession(given, parts).catch(problemOf);
    if (PagewireError.isInstance(session)) return { problem: session, code: given };
    render(isForOtherTab() ? <SignedIn session={session} /> : page(session), root);
    const over = new AbortController();
    const ended = session.ended.then((problem): Next => ({ problem }));
    const next = await Promise.race([ended, nextCode(over.signal).then((found): Next => ({ code: found }))]);
    over.abort();
    session.close();
    render(null, root);
    return next;
  }

  async function signIn(problem: PagewireError): Promise<string | undefined> {
    const providers = await readProviders(askHub);
    const over = new AbortController();
    const { signal } = over;
    const isFramed = window.parent !== window;
    const { onElsewhere } = browserSession;
    const asked = askToSignIn({ root, problem, providers, isFramed, onElsewhere, signal });
    const found = await Promise.race([asked, nextCode(signal)]);
    over.abort();
    return found;
  }
}

function isForOtherTab(): boolean {
  return new URLSearchParams(location.search).has("signed-in");
}

/** In a tab that was opened to sign in, while the page that asked for it waits in another one. */
function SignedIn({ session: { info } }: { readonly session: LiveSession }) {
  return (
    <main class="sign-in">
      <Brand />
      <h1>You are signed in</h1>
      <p class="why" role="status">
        As {nameOf(info)}. Close this tab, and go on where you were.
      </p>
      <a class="button" href="/">
        Go on here
      </a>
    </main>
  );
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
