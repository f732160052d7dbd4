// One decision: what it is about, who asks, the exact arguments, and the answers.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { messageOf, showInvisible } from "pagewire/wire";
import { shortened } from "../../../common/src/shortened.ts";
import { useArmed } from "../../../common/src/ui/use-armed.ts";
import { Badge, Button, Code, Time } from "../../../common/src/ui/index.ts";
import { href } from "../frame/route.ts";
import type { Answer, Inbox, Wait } from "./inbox.ts";
import { QuestionForm } from "./question-form.tsx";
import { indented, titleOf, whoAsks } from "./words.ts";

export interface WaitCardProps {
  readonly wait: Wait;
  readonly inbox: Inbox;
  /** Resolves with whether the answer counted. */
  answer(answer: Answer): Promise<boolean>;
}

export function WaitCard({ wait: listed, inbox, answer }: WaitCardProps) {
  const id = useId();
  const { wait, problem } = useWhole(listed, inbox);
  const isArmed = useArmed(listed.id);
  const [isSending, setSending] = useState(false);
  /** Known at once: a form that was being checked calls with what the card was before. */
  const isSent = useRef(false);
  const isOpen = isArmed && !isSending && inbox.mayAnswer.value;

  function send(given: Answer, { isTrusted }: Event): void {
    if (!isOpen || isSent.current || !isTrusted) return;
    isSent.current = true;
    setSending(true);
    void answer(given).then((isDone) => {
      isSent.current = isDone;
      setSending(isDone);
    });
  }

  return (
    <article class={`stack box wait ${wait.destructive ? "destructive" : ""}`} aria-labelledby={id} tabIndex={0}>
      <header>
        <h2 id={id}>{titleOf(wait)}</h2>
        {wait.destructive && <Badge tone="bad">Destructive</Badge>}
        <span class="hint">
          <Time at={Date.parse(wait.since)} />
        </span>
      </header>
      <p class="wait-who">{whoAsks(wait)}</p>
      {wait.destructive && (
        <p class="wait-danger">It may delete or overwrite something, by its own word. That may be for good.</p>
      )}
      <p class="hint">{showInvisible(wait.reason)}</p>
      {wait.textFrom && wait.textFrom.length > 0 && (
        <p class="hint">
          Text of {wait.textFrom.map((origin) => shortened(origin, 120)).join(", ")} is in the conversation.
        </p>
      )}
      <Subject wait={wait} />
      {problem !== undefined && <p class="problem">The whole text could not be read: {problem}</p>}
      <Ways wait={wait} isOpen={isOpen && !wait.isCut} isSending={isSending} send={send} />
    </article>
  );
}

function Subject({ wait }: { readonly wait: Wait }) {
  const { kind, tool, description, message, arguments: given } = wait;
  if (kind === "origin") return <p class="wait-origin">{shortened(wait.origin ?? "", 300)}</p>;
  if (kind === "tool-change") return <Definitions {...wait} />;
  return (
    <>
      {message !== undefined && <p class="wait-message">{showInvisible(message)}</p>}
      {description !== undefined && description !== "" && kind === "approval" && !wait.changed && (
        <Quoted label={`What ${shortened(tool ?? "the tool", 80)} says that it does`}>
          {showInvisible(description)}
        </Quoted>
      )}
      {wait.changed && <Changed {...wait.changed} />}
      {given !== undefined && <Arguments given={given} isQuestion={kind === "question"} />}
    </>
  );
}

function Arguments({ given, isQuestion }: { readonly given: string; readonly isQuestion: boolean }) {
  if (isQuestion && given === "{}") return null;
  const code = (
    <Code text={indented(given)} language="json" label={isQuestion ? "Called with" : "It would run with"} wraps />
  );
  if (!isQuestion) return code;
  return (
    <details>
      <summary>Called with</summary>
      {code}
    </details>
  );
}

function Quoted({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <figure class="wait-quote">
      <figcaption>{label}</figcaption>
      <blockquote tabIndex={0}>{children}</blockquote>
    </figure>
  );
}

function Definitions({ before, definition = "" }: Wait) {
  if (before === undefined) return <Code text={indented(definition)} language="json" label="The new tool" wraps />;
  return (
    <div class="wait-beside">
      <Code text={indented(before)} language="json" label="When it was accepted" wraps />
      <Code text={indented(definition)} language="json" label="Now" wraps />
    </div>
  );
}

function Changed({ before, after }: NonNullable<Wait["changed"]>) {
  return (
    <div class="wait-beside">
      <Quoted label="When you allowed it">
        {before.map(({ text, differs }, index) => (
          <Piece key={index} tag={differs ? "del" : "span"} text={text} />
        ))}
      </Quoted>
      <Quoted label="Now">
        {after.map(({ text, differs }, index) => (
          <Piece key={index} tag={differs ? "ins" : "span"} text={text} />
        ))}
      </Quoted>
    </div>
  );
}

function Piece({ tag: Tag, text }: { readonly tag: "del" | "ins" | "span"; readonly text: string }) {
  return <Tag>{showInvisible(text)}</Tag>;
}

interface AnswersProps {
  readonly wait: Wait;
  readonly isOpen: boolean;
  readonly isSending: boolean;
  /** Takes an answer of the user's, not of a script's. */
  send(answer: Answer, event: Event): void;
}

/** How it is answered: here, or in its page only. */
function Ways(props: AnswersProps) {
  const { kind, tab } = props.wait;
  if (kind === "question") return <QuestionForm key={String(props.wait.isCut)} {...props} />;
  if (kind !== "dialog" && kind !== "sign-in") return <Answers {...props} />;
  return (
    <div class="row wait-answers">
      {tab === undefined ? (
        <p class="hint">Look for it among your browser's tabs: it goes on as soon as you have signed in.</p>
      ) : (
        <a class="button" href={href(["now", "tab", tab])}>
          Where this page is
        </a>
      )}
    </div>
  );
}

/** Two answers, and the lasting ones behind "More answers". */
function Answers({ wait, isOpen, isSending, send }: AnswersProps) {
  const { kind, destructive, scopes = [] } = wait;
  const [allow, refuse] = words[kind === "origin" || kind === "tool-change" ? kind : "approval"];
  return (
    <div class="row wait-answers">
      <Button disabled={!isOpen} onClick={(event) => send({ answer: "refuse" }, event)}>
        {refuse}
      </Button>
      <Button
        kind={destructive ? "danger" : "strong"}
        disabled={!isOpen && !isSending}
        busy={isSending}
        onClick={(event) => send({ answer: "allow" }, event)}
      >
        {allow}
      </Button>
      {scopes.length > 0 && (
        <details class="wait-more">
          <summary>More answers</summary>
          <div>
            {scopes.includes("session") && (
              <Button small disabled={!isOpen} onClick={(event) => send({ answer: "allow", scope: "session" }, event)}>
                Allow in this conversation
              </Button>
            )}
            {scopes.includes("always") && (
              <>
                <Button small disabled={!isOpen} onClick={(event) => send({ answer: "allow", scope: "always" }, event)}>
                  Always allow as it is now
                </Button>
                <Button
                  small
                  disabled={!isOpen}
                  onClick={(event) => send({ answer: "refuse", scope: "always" }, event)}
                >
                  Never allow
                </Button>
              </>
            )}
          </div>
        </details>
      )}
    </div>
  );
}

const words = {
  approval: ["Allow once", "Refuse"],
  origin: ["Allow", "Refuse"],
  "tool-change": ["Accept as it is now", "Keep hidden"],
} as const;

/** A list has the beginnings of long texts: a user should not allow what was not shown. */
function useWhole(listed: Wait, inbox: Inbox): { readonly wait: Wait; readonly problem?: string } {
  const [whole, setWhole] = useState<Wait>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (!listed.isCut) return;
    inbox.whole(listed).then(setWhole, (error: unknown) => setProblem(messageOf(error)));
  }, [listed.id, listed.isCut]);
  return { wait: listed.isCut && whole ? whole : listed, ...(problem !== undefined && { problem }) };
}
