import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { createFields } from "pagewire/page/dialog";
import { showInvisible } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import { Button } from "../../../common/src/ui/button.tsx";
import { ProblemLine } from "../common/problem-line.tsx";
import type { Answering } from "./answering.ts";
import { useEscape } from "./use-escape.ts";

export interface FieldsQuestionProps extends Answering {
  /** Of MCP's elicitation. */
  readonly parameters: JsonObject;
}

/** A tool's question to the person, as a form. */
export function FieldsQuestion({ parameters, isOpen, isBusy, problem, answer }: FieldsQuestionProps) {
  const id = useId();
  const { message, requestedSchema } = parameters;
  const [fields] = useState(() => createFields(requestedSchema));
  const place = useRef<HTMLFieldSetElement>(null);
  const end = (action: "decline" | "cancel", event: Event): void =>
    answer({ action: "fields", result: { action } }, event);
  useEscape((event) => end("cancel", event));
  useLayoutEffect(() => place.current?.replaceChildren(...fields.elements), [fields]);
  // Typing before would have been meant for something else.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (!isOpen || wasOpen.current) return;
    wasOpen.current = true;
    place.current?.querySelector<HTMLElement>("input, select")?.focus();
  }, [isOpen]);

  return (
    <form
      class="stack"
      aria-labelledby={id}
      onSubmit={(event) => {
        event.preventDefault();
        answer({ action: "fields", result: { action: "accept", content: fields.content() } }, event);
      }}
    >
      <h1 id={id}>A question for you</h1>
      <figure class="quote">
        <figcaption>In the page's own words</figcaption>
        <blockquote tabIndex={0} dir="auto">
          {showInvisible(typeof message === "string" && message !== "" ? message : "It needs something from you.")}
        </blockquote>
      </figure>
      <fieldset ref={place} class="fields" disabled={!isOpen && !wasOpen.current} aria-labelledby={id} />
      <p class="hint">What you send goes to the page and may reach the agent.</p>
      <ProblemLine text={problem} />
      <footer class="row answers">
        <Button disabled={!isOpen} onClick={(event) => end("decline", event)}>
          Decline
        </Button>
        <Button type="submit" kind="strong" disabled={!isOpen && !isBusy} busy={isBusy}>
          Send
        </Button>
      </footer>
    </form>
  );
}
