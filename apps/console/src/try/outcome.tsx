// A call as it runs, and how it ended.
import { isJsonObject, showInvisible } from "pagewire/wire";
import { outcomeTexts } from "../../../common/src/outcome-texts.ts";
import { Badge, JsonTree, Time, durationText, now } from "../../../common/src/ui/index.ts";
import { nextStep } from "./next-step.ts";
import { Result } from "./result.tsx";
import type { Run } from "./run.ts";

export function Outcome({ run }: { readonly run: Run }) {
  const { outcome, took, call } = run;
  return (
    <section class="box panel stack trial-outcome" aria-labelledby="outcome-title">
      <div class="row trial-head">
        <h3 id="outcome-title">What came of it</h3>
        <span role="status">
          {outcome ? (
            <>
              <Badge tone={outcomeTexts[outcome.outcome].tone}>{outcomeTexts[outcome.outcome].text}</Badge>{" "}
              <span class="hint">
                {durationText(took ?? 0)}, <Time at={run.at} />
              </span>
            </>
          ) : (
            <Badge tone="info">{run.isCancelling ? "being cancelled" : "running"}</Badge>
          )}
        </span>
      </div>
      {!outcome && <Running run={run} />}
      {run.logs.length > 0 && <Logs run={run} />}
      {outcome && !outcome.result && (
        <div class="notice danger">
          <p>
            {showInvisible(outcome.message ?? outcomeTexts[outcome.outcome].text)}{" "}
            {outcome.code !== undefined && <code>{outcome.code}</code>}
          </p>
          <p>{nextStep(outcome)}</p>
        </div>
      )}
      {outcome?.outcome === "tool-error" && outcome.result && (
        <p class="problem">The tool says that it failed, in its own words:</p>
      )}
      {outcome?.result && isJsonObject(outcome.result) && <Result result={outcome.result} tabId={call.tabId} />}
    </section>
  );
}

/** Milliseconds after which it is worth a word that nothing came. */
const quietTime = 3000;

function Running({ run }: { readonly run: Run }) {
  const elapsed = now.value - run.at;
  const { progress } = run;
  return (
    <div class="stack running">
      <p class="hint">
        {run.isAcked ? "The page has it." : "On its way to the page."} {elapsed >= 1000 && durationText(elapsed)}
        {elapsed > quietTime && !progress && " The page may be asking a person: look there."}
      </p>
      {progress && (
        <p class="progress">
          <progress
            aria-label="Progress"
            {...(progress.total !== undefined && { max: progress.total, value: progress.progress })}
          />
          <span>{showInvisible(progress.message ?? progressText(progress))}</span>
        </p>
      )}
    </div>
  );
}

function progressText({ progress, total }: NonNullable<Run["progress"]>): string {
  return total === undefined ? String(progress) : `${progress} of ${total}`;
}

function Logs({ run: { logs, moreLogs } }: { readonly run: Run }) {
  return (
    <details>
      <summary>
        {logs.length + moreLogs} {logs.length + moreLogs === 1 ? "log" : "logs"}
      </summary>
      <ul class="logs">
        {logs.map(({ level, logger, data }, index) => (
          <li key={index}>
            <Badge tone={/error|critical|alert|emergency/.test(level) ? "bad" : "plain"}>{level}</Badge>{" "}
            {logger !== undefined && <code>{showInvisible(logger)}</code>}{" "}
            {typeof data === "string" ? (
              showInvisible(data.slice(0, 2000))
            ) : (
              <JsonTree label="Log" value={data} depth={0} />
            )}
          </li>
        ))}
      </ul>
      {moreLogs > 0 && <p class="hint">{moreLogs} more are not shown.</p>}
    </details>
  );
}
