import { messageOf, showInvisible } from "pagewire/wire";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Loading, Problem } from "../ui/states.tsx";
import { useAnswer, useChange } from "./use-answer.ts";
import type { Session } from "./session.ts";

/** The user's lasting decision about a tool. */
interface Consent {
  readonly key: string;
  readonly tool: string;
  readonly origin: string;
  readonly approved: boolean;
}

export interface ConsentsProps {
  readonly session: Pick<Session, "request">;
  /** Shown where nothing is decided for always. */
  readonly none: ComponentChildren;
}

/** The user's lasting decisions in the agent's window, each with a button that takes it back. */
export function Consents({ session, none }: ConsentsProps) {
  const { value, error, read } = useAnswer<{ readonly consents: readonly Consent[] }>(session, "/api/consents");
  const [busy, change] = useChange();
  const place = useRef<HTMLDivElement>(null);
  // Not toasts: those are inert beside a dialog, which this may be in.
  const [said, say] = useState("");
  const [problem, setProblem] = useState("");
  if (!value) {
    return error ? <Problem title="Your decisions cannot be read" error={error} onRetry={read} /> : <Loading />;
  }
  const takeBack = ({ key, tool }: Consent) =>
    change(key, async () => {
      say("");
      setProblem("");
      try {
        await session.request("DELETE", `/api/consents/${encodeURIComponent(key)}`);
        say(`You are asked about ${showInvisible(tool)} again.`);
      } catch (failure) {
        setProblem(`${showInvisible(tool)}: ${messageOf(failure)}`);
      } finally {
        // One that could not be saved may be taken back all the same.
        read();
        // Its button, which has the focus, is about to go.
        place.current?.focus();
      }
    });
  return (
    <div ref={place} tabIndex={-1}>
      <p class="hint" role="status">
        {said}
      </p>
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {value.consents.length === 0 && none}
      <ul class="box lines">
        {value.consents.map((consent) => (
          <li key={consent.key}>
            <Badge tone={consent.approved ? "ok" : "bad"}>{consent.approved ? "allowed" : "refused"}</Badge>
            <strong>{showInvisible(consent.tool)}</strong>
            <span class="hint">of {consent.origin === "" ? "the hub itself" : showInvisible(consent.origin)}</span>
            <Button small busy={busy === consent.key} onClick={() => takeBack(consent)}>
              Take back
              <span class="visually-hidden">
                {" "}
                {consent.tool} of {consent.origin}
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
