import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { PersonQuestion } from "pagewire/extension";
import { showInvisible } from "pagewire/wire";
import { shortened } from "../../../common/src/shortened.ts";
import { Badge } from "../../../common/src/ui/badge.tsx";
import { Button, CopyButton } from "../../../common/src/ui/button.tsx";
import { ProblemLine } from "../common/problem-line.tsx";
import type { Answering } from "./answering.ts";
import { useEscape } from "./use-escape.ts";

export interface CallQuestionProps extends Answering {
  readonly question: Extract<PersonQuestion, { kind: "call" }>;
}

/** Whether an agent may call a tool with these arguments. */
export function CallQuestion({ question, isOpen, isBusy, problem, answer }: CallQuestionProps) {
  const id = useId();
  const { tool, title = tool, description, destructive, agent } = question;
  const text = JSON.stringify(question.arguments, null, 2);
  const [isWhole, setWhole] = useState(text.length <= shownLength);
  const foot = useRef<HTMLElement>(null);
  const refuse = (event: Event): void => answer({ action: "refuse" }, event);
  useEscape(refuse);
  // The safe answer has the focus as soon as answers count.
  useEffect(() => {
    if (isOpen) foot.current?.querySelector("button")?.focus();
  }, [isOpen]);
  const mayAllow = isOpen && isWhole;
  return (
    <section class="stack" aria-labelledby={id}>
      <h1 id={id}>
        Allow “<bdi>{shortened(title, 120)}</bdi>”? {destructive && <Badge tone="bad">Destructive</Badge>}
      </h1>
      <p>
        <strong>
          <bdi>{shortened(agent, 60)}</bdi>
        </strong>{" "}
        wants to use the tool <code dir="ltr">{shortened(tool, 128)}</code> of this site.
      </p>
      {destructive && (
        <p class="notice danger">It may delete or overwrite something, by its own word. That may be for good.</p>
      )}
      {description !== "" && (
        <figure class="quote">
          <figcaption>In the page's own words</figcaption>
          <blockquote tabIndex={0} dir="auto">
            {showInvisible(description)}
          </blockquote>
        </figure>
      )}
      <Arguments text={isWhole ? text : text.slice(0, shownLength)} />
      {!isWhole && (
        <div class="notice warn">
          <p>
            {(text.length - shownLength).toLocaleString()} more characters are not shown. See all before you allow it.
          </p>
          <Button small onClick={() => setWhole(true)}>
            Show all
          </Button>
        </div>
      )}
      <ProblemLine text={problem} />
      <footer ref={foot} class="row answers">
        <Button disabled={!isOpen} onClick={refuse}>
          Refuse
        </Button>
        <Button
          disabled={!mayAllow}
          onClick={(event) => answer({ action: "allow", lasts: "document" }, event)}
          title="This tool, for this agent, until the page is left or loaded again"
        >
          Allow until you leave this page
        </Button>
        <Button
          kind={destructive ? "danger" : "strong"}
          disabled={!mayAllow && !isBusy}
          busy={isBusy}
          onClick={(event) => answer({ action: "allow", lasts: "once" }, event)}
        >
          Allow once
        </Button>
      </footer>
    </section>
  );
}

/** Longer texts take a window's time, and few people read them. */
const shownLength = 50_000;
const shortLines = 14;

/** The exact arguments. Long ones fold. */
function Arguments({ text }: { readonly text: string }) {
  if (text === "{}") return <p class="hint">It would run without arguments.</p>;
  const lines = text.split("\n").length;
  const label = "It would run with";
  const code = (
    <figure class="code">
      <figcaption>
        {label}
        <CopyButton what="the arguments" text={text} />
      </figcaption>
      <pre class="wraps" dir="ltr" tabIndex={0} role="region" aria-label={label}>
        <code>{showInvisible(text)}</code>
      </pre>
    </figure>
  );
  if (lines <= shortLines) return code;
  return (
    <details open>
      <summary>{lines.toLocaleString()} lines of arguments</summary>
      {code}
    </details>
  );
}
