import { Button } from "../../../common/src/ui/index.ts";
import { useQuestion } from "../questions/question.tsx";
import type { Answer, Wait } from "./inbox.ts";

export interface QuestionFormProps {
  readonly wait: Wait;
  readonly isOpen: boolean;
  send(answer: Answer, event: Event): void;
}

/** A tool's question as a form. */
export function QuestionForm({ wait, isOpen, send }: QuestionFormProps) {
  const { words, fields, answer } = useQuestion(wait.schema);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const content = await answer();
    if (content) send({ answer: "allow", content }, event);
  }
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      {fields}
      <div class="row">
        <Button disabled={!isOpen} onClick={(event) => send({ answer: "refuse" }, event)}>
          {words.decline}
        </Button>
        <Button type="submit" kind="strong" disabled={!isOpen}>
          {words.accept}
        </Button>
      </div>
    </form>
  );
}
