// The window that asks, in place of a page, which could fake or click it. Closing it refuses: the worker sees to that.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { PersonQuestion, ShownAsk } from "pagewire/extension";
import { shortened } from "../../../common/src/shortened.ts";
import { Empty, Loading, Problem } from "../../../common/src/ui/states.tsx";
import { useArmed } from "../../../common/src/ui/use-armed.ts";
import { Address } from "../common/address.tsx";
import { asksOf } from "../common/open-store.ts";
import type { Store } from "../common/open-store.ts";
import { useSending } from "../common/use-sending.ts";
import type { Answering } from "./answering.ts";
import { CallQuestion } from "./call-question.tsx";
import { FieldsQuestion } from "./fields-question.tsx";

export interface AskWindowProps {
  readonly store: Store;
  /** Called once nothing waits any more. */
  close(): void;
}

export function AskWindow({ store, close }: AskWindowProps) {
  const [first, ...more] = asksOf(store);
  const [wasAsked, setAsked] = useState(false);
  const problem = store.problem.value;
  const isRead = store.session.value !== undefined;
  useEffect(() => {
    if (first) setAsked(true);
    else if (wasAsked) close();
  }, [first === undefined]);
  if (problem !== undefined) return <Problem title="The question could not be read." error={problem} />;
  if (!isRead) return <Loading>Reading the question</Loading>;
  if (!first) return <Empty title="Nothing waits for you">You can close this window.</Empty>;
  const [id, ask] = first;
  return (
    <>
      <p class="queue" role="status">
        {more.length > 0 && `${more.length} more ${more.length === 1 ? "waits" : "wait"}`}
      </p>
      <Question key={id} {...{ store, id, ask }} />
    </>
  );
}

interface QuestionProps {
  readonly store: Store;
  readonly id: string;
  readonly ask: ShownAsk;
}

function Question({ store, id, ask }: QuestionProps) {
  const { isBusy, problem, send } = useSending(store);
  const isArmed = useArmed(`${id} ${useFocusCount()}`);
  const [isAnswered, setAnswered] = useState(false);
  const question = useMemo(() => JSON.parse(ask.question) as PersonQuestion, [ask.question]);
  const isOpen = isArmed && !isBusy && !isAnswered;
  const answering: Answering = {
    ...{ isOpen, problem, isBusy: isBusy || isAnswered },
    answer(answer, { isTrusted }) {
      if (!isOpen || !isTrusted) return;
      void send({ type: "answer", ask: id, answer }).then(({ ok }) => setAnswered(ok));
    },
  };
  useEffect(() => void (document.title = `${ask.origin} asks`), [ask.origin]);
  return (
    <main class="stack">
      <header class="stack from">
        <p class="origin">
          <Address origin={ask.origin} />
        </p>
        {ask.title !== "" && (
          <p class="hint">
            Its page calls itself “<bdi>{shortened(ask.title, 80)}</bdi>”
          </p>
        )}
      </header>
      {question.kind === "call" ? (
        <CallQuestion question={question} {...answering} />
      ) : (
        <FieldsQuestion parameters={question.parameters} {...answering} />
      )}
    </main>
  );
}

/** How often the window got the focus: the click that brings it to the front must not answer it. */
function useFocusCount(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const follow = (): void => setCount((before) => before + 1);
    addEventListener("focus", follow);
    return () => removeEventListener("focus", follow);
  }, []);
  return count;
}
