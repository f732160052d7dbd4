import { render } from "preact";
import { useRef, useState } from "preact/hooks";
import type { PagewireError } from "pagewire/wire";
import { icons } from "../icons.ts";
import { parseCode } from "../sign-in-code.ts";
import { Button } from "../ui/button.tsx";
import { CommandLine } from "../ui/command-line.tsx";
import { Icon } from "../ui/icon.tsx";
import { isHere } from "./is-here.ts";
import { signInAddress, signedInPlace } from "./providers.ts";
import type { SignInProvider } from "./providers.ts";

export interface SignInParts {
  readonly root: HTMLElement;
  /** Why one has to. */
  readonly problem: PagewireError;
  /** At a hub of a team: who can say who a person is. */
  readonly providers?: readonly SignInProvider[];
  /** Whether this is a frame of another page, which has its own storage. */
  readonly isFramed: boolean;
  /** Calls back when another tab signed in or out; returns a function that stops it. */
  onElsewhere(listener: (token: string | undefined) => void): () => void;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** Shows how to sign in, until there is a code to do it with, or with undefined a reason to try without one. */
export function askToSignIn(parts: SignInParts): Promise<string | undefined> {
  const { root, problem, providers = [], isFramed, onElsewhere, signal } = parts;
  return new Promise((finish) => {
    signal.addEventListener(
      "abort",
      onElsewhere((token) => token !== undefined && finish(undefined)),
    );
    // The form of the attempt before says why that one failed.
    render(null, root);
    render(<SignIn {...{ problem, providers, isFramed, finish }} />, root);
    root.querySelector<HTMLElement>(".sign-in a.strong, input, .sign-in button.strong")?.focus();
  });
}

interface SignInProps extends Required<Pick<SignInParts, "problem" | "providers" | "isFramed">> {
  readonly finish: (code: string | undefined) => void;
}

function SignIn({ problem, providers, isFramed, finish }: SignInProps) {
  const isDown = problem.code === "hub-unreachable";
  const isOfCode = problem.code === "code-invalid";
  return (
    <main class="sign-in">
      <Brand />
      <h1>{isDown ? "The hub does not answer" : "Sign in"}</h1>
      {!isOfCode && (
        <p class="why" role="alert">
          {problem.message}
        </p>
      )}
      {isDown ? (
        <Button kind="strong" onClick={() => finish(undefined)}>
          Try again
        </Button>
      ) : providers.length === 0 ? (
        <Steps finish={finish} refusal={isOfCode ? problem.message : ""} />
      ) : (
        <>
          <SignInLinks providers={providers} inOther={isFramed} />
          <details open={isOfCode}>
            <summary>With a link of the command line</summary>
            <Steps finish={finish} refusal={isOfCode ? problem.message : ""} />
          </details>
        </>
      )}
      {isFramed && !isDown && (
        <div class="notice info">
          <p>
            This assistant is inside another page, where browsers keep a separate storage: a sign-in of the hub's own
            window does not count here. Paste a link above, or use the assistant in a window of its own.
          </p>
          <a class="button" href={location.pathname} target="_blank" rel="noopener">
            <Icon path={icons.out} />
            Open in a window of its own
          </a>
        </div>
      )}
    </main>
  );
}

interface SignInLinksProps {
  readonly providers: readonly SignInProvider[];
  /** In another tab: providers cannot be shown in frames, and a page that stays keeps what was typed. */
  readonly inOther: boolean;
}

/** The ways to sign in: each leads to a provider, and back here. */
export function SignInLinks({ providers, inOther }: SignInLinksProps) {
  const { pathname, search, hash } = location;
  const returnTo = inOther ? signedInPlace : `${pathname}${search}${hash}`;
  const where = inOther ? { target: "_blank", rel: "noopener" } : {};
  return (
    <div>
      {providers.map((provider) => (
        <a key={provider.name} class="button strong" href={signInAddress(provider, returnTo)} {...where}>
          Sign in with {provider.title}
        </a>
      ))}
    </div>
  );
}

/** The name of the house, above what it asks. */
export function Brand() {
  return (
    <p class="brand">
      <Icon path={icons.mark} />
      Pagewire
    </p>
  );
}

interface StepsProps {
  readonly finish: (code: string) => void;
  /** Why the hub did not take the code before. */
  readonly refusal: string;
}

function Steps({ finish, refusal }: StepsProps) {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState(refusal);
  function submit(event: Event): void {
    event.preventDefault();
    const code = parseCode(field.current?.value ?? "");
    if (code !== undefined) return finish(code);
    setProblem("That is neither a code nor a link that holds one. Copy the whole link that pagewire open shows.");
    field.current?.select();
  }
  const { where, command } = signInCommand(location.origin);
  return (
    <div>
      <p>{where}</p>
      <CommandLine text={command} />
      <p class="hint">It opens a window like this one, signed in. Or paste its link here:</p>
      <form class="field" onSubmit={submit}>
        <label for="code">Link or code</label>
        <div class="code-row">
          <input
            ref={field}
            class="input"
            id="code"
            autocomplete="off"
            spellcheck={false}
            required
            aria-invalid={problem !== "" || undefined}
            aria-describedby="code-problem"
          />
          <Button kind="strong" type="submit">
            Sign in
          </Button>
        </div>
        <p class="problem" role="alert" id="code-problem">
          {problem}
        </p>
      </form>
    </div>
  );
}

interface SignInCommand {
  readonly where: string;
  readonly command: string;
}

/**
 * The sign-in address of an origin's hub, and the command for it: most users of a remote hub have no terminal there.
 */
export function signInCommand(origin: string): SignInCommand {
  if (isHere(origin)) return { where: "In a terminal on the hub's machine:", command: "npx pagewire open" };
  const command = `PAGEWIRE_URL=${origin} PAGEWIRE_TOKEN=<token> npx pagewire open`;
  return { where: "In a terminal, with a token for your agents from the person who runs this hub:", command };
}
