// Questions of tools that this page called, above every view: a call can run on after its view was left.
import { useEffect, useState } from "preact/hooks";
import { showInvisible } from "pagewire/wire";
import { Problem } from "../../../common/src/ui/index.ts";
import type { Hub } from "../hub/hub.ts";
import type { QuestionCard } from "./question.tsx";

type Loaded = { readonly card: typeof QuestionCard } | { readonly problem: unknown };

export function Questions({ hub }: { readonly hub: Hub }) {
  const [loaded, setLoaded] = useState<Loaded>();
  const questions = hub.questions.value;
  const isNeeded = questions.length > 0 && loaded === undefined;
  useEffect(() => {
    if (!isNeeded) return;
    import("./question.tsx").then(
      (module) => setLoaded({ card: module.QuestionCard }),
      (problem: unknown) => setLoaded({ problem }),
    );
  }, [isNeeded]);

  return (
    <>
      <p role="status" class="visually-hidden">
        {questions.map(({ tool }) => `${showInvisible(tool)} asks.`).join(" ")}
      </p>
      {questions.length > 0 && loaded && (
        <section class="stack questions" aria-label="Questions of tools">
          {"problem" in loaded ? (
            <Problem
              title="A tool asks, and its question could not be loaded."
              error={loaded.problem}
              onRetry={() => setLoaded(undefined)}
            />
          ) : (
            questions.map((question) => <loaded.card key={question.id} question={question} />)
          )}
        </section>
      )}
    </>
  );
}
