// An open call: its life step by step, what it was given and gave, who allowed it and why, and the same call again.
import { useEffect, useState } from "preact/hooks";
import { PagewireError, isJsonObject } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import { Badge, Drawer, Loading, Problem, durationText } from "../../../common/src/ui/index.ts";
import type { Session } from "../../../common/src/session/session.ts";
import { Questions } from "../questions/questions.tsx";
import { goTo, href } from "../frame/route.ts";
import type { Hub } from "../hub/hub.ts";
import { fields, placeOf, withField } from "./filters.ts";
import type { FieldName, Filters } from "./filters.ts";
import { CallContents } from "./call-contents.tsx";
import { CallAgain } from "./call-again.tsx";
import { decisionOf, ranText } from "./steps.ts";
import type { CallRecord } from "./steps.ts";
import { Waterfall } from "./waterfall.tsx";
import { exactClockText, shown, textIn, toneOf } from "./words.ts";

export interface CallDetailsProps {
  readonly session: Pick<Session, "request">;
  readonly hub: Hub;
  readonly filters: Filters;
  /** Of its record, or of its events. */
  readonly id: string;
}

export function CallDetails({ session, hub, filters, id }: CallDetailsProps) {
  const { record, problem, retry } = useRecord(session, id);
  const close = () => goTo(placeOf(filters));
  const name = typeof record?.["name"] === "string" ? shown(record["name"]) : "A call";
  return (
    <Drawer title={name} onClose={close} actions={record && <CallAgain key={record.id} {...{ hub, record }} />}>
      {/* The frame's are behind the drawer. */}
      <Questions hub={hub} />
      {problem !== undefined && <NotThere {...{ problem, retry }} />}
      {problem === undefined && !record && <Loading>Reading the call</Loading>}
      {record && <Details {...{ record, filters }} />}
    </Drawer>
  );
}

function NotThere({ problem, retry }: { readonly problem: unknown; readonly retry: () => void }) {
  const isGone = PagewireError.isInstance(problem) && problem.code === "route-not-found";
  if (!isGone) return <Problem title="The call could not be read." error={problem} onRetry={retry} />;
  return (
    <div class="notice">
      <p>
        There is no such call in the audit. It may run still, or be older than what the hub keeps; a hub without an
        audit keeps none.
      </p>
    </div>
  );
}

const recordId = /^[0-9a-f]{32}$/;
/** Milliseconds until another look for a call that has no record yet: twice as long each time, up to the second. */
const lookTimes = { first: 1500, most: 60_000 };

function useRecord(session: Pick<Session, "request">, id: string) {
  const [found, setFound] = useState<{
    readonly of: string;
    readonly attempt: number;
    readonly record?: CallRecord;
    readonly problem?: unknown;
  }>();
  const [asked, setAsked] = useState({ of: id, attempt: 0 });
  const attempt = asked.of === id ? asked.attempt : 0;
  const retry = () => setAsked({ of: id, attempt: attempt + 1 });
  const isKnown = found?.of === id;
  const isMissing = isKnown && found.attempt === attempt && found.problem !== undefined && !recordId.test(id);
  useEffect(() => {
    let isOver = false;
    read(session, id).then(
      (record) => !isOver && setFound({ of: id, attempt, record }),
      (problem: unknown) => !isOver && setFound({ of: id, attempt, problem }),
    );
    return () => void (isOver = true);
  }, [id, attempt]);
  useEffect(() => {
    if (!isMissing) return;
    const pause = Math.min(lookTimes.first * 2 ** attempt, lookTimes.most);
    const timer = setInterval(() => !document.hidden && retry(), pause);
    return () => clearInterval(timer);
  }, [isMissing, attempt]);
  return {
    record: isKnown ? found.record : undefined,
    problem: isKnown ? found.problem : undefined,
    retry,
  };
}

async function read(session: Pick<Session, "request">, id: string): Promise<CallRecord> {
  if (recordId.test(id)) return recordIn(await session.request("GET", `/api/calls/${id}`));
  const answer = await session.request("GET", `/api/calls?${new URLSearchParams({ call: id, limit: "1" })}`);
  const { calls } = Object(answer) as { readonly calls?: unknown };
  return recordIn(Array.isArray(calls) ? calls[0] : undefined);
}

function recordIn(answer: unknown): CallRecord {
  if (isJsonObject(answer) && typeof answer["id"] === "string" && typeof answer["at"] === "string")
    return answer as CallRecord;
  throw new PagewireError("route-not-found", "There is no such call.");
}

function Details({ record, filters }: { readonly record: CallRecord; readonly filters: Filters }) {
  const { details, code, milliseconds } = record;
  const outcome = textIn(record["outcome"]);
  const more: JsonObject = isJsonObject(details) ? details : {};
  return (
    <div class="stack call-details">
      <p class="row call-outcome">
        <Badge tone={toneOf(outcome)}>{outcome}</Badge>
        {typeof code === "string" && code !== outcome && <code>{code}</code>}
        <span>{exactClockText(Date.parse(record.at))}</span>
        {typeof milliseconds === "number" && <span>{durationText(milliseconds)}</span>}
        <span>{ranText(record)}</span>
      </p>
      <section aria-labelledby="call-life">
        <h3 id="call-life">Its life</h3>
        <Waterfall record={record} />
      </section>
      <section aria-labelledby="call-decision">
        <h3 id="call-decision">Who allowed it</h3>
        <p>
          {decisionOf(record)}{" "}
          {typeof more["rule"] === "string" && <a href={href(["rules"])}>{`Rule: ${shown(more["rule"])}`}</a>}
        </p>
      </section>
      <CallContents record={record} more={more} />
      <section aria-labelledby="call-facts">
        <h3 id="call-facts">Facts</h3>
        <Facts {...{ record, filters, more }} />
      </section>
    </div>
  );
}

interface FactsProps {
  readonly record: CallRecord;
  readonly filters: Filters;
  readonly more: JsonObject;
}

const filterable = [
  "agent",
  "door",
  "app",
  "origin",
  "tab",
  "decidedBy",
  "code",
  "trace",
  "call",
  "key",
] as const satisfies readonly FieldName[];
const words: Readonly<Record<string, string>> = {
  agentVersion: "Agent's version",
  principal: "On behalf of",
  listed: "Called as",
  method: "Method",
  replay: "Repeats another call",
  asks: "The page answered with questions",
  definition: "Digest of the definition",
  argumentsDigest: "Digest of the arguments",
  resultDigest: "Digest of the result",
};

function Facts({ record, filters, more }: FactsProps) {
  const all = { ...record, ...more };
  const tab = record["tab"];
  return (
    <dl class="call-facts">
      {filterable.flatMap((name) => {
        const value = all[name];
        if (typeof value !== "string" || value === "") return [];
        return [
          <div key={name}>
            <dt>{fields[name]}</dt>
            <dd>
              <a href={placeOf(withField(filters, name, value))} title={`Calls with this: ${fields[name]}`}>
                {shown(value)}
              </a>
              {name === "tab" && typeof tab === "string" && (
                <>
                  {" "}
                  <a class="beside" href={href(["now", "tab", tab])}>
                    the tab
                  </a>
                </>
              )}
            </dd>
          </div>,
        ];
      })}
      {Object.entries(words).flatMap(([name, label]) => {
        const value = all[name];
        if (value === undefined || value === "") return [];
        return [
          <div key={name}>
            <dt>{label}</dt>
            <dd>{value === true ? "yes" : shown(typeof value === "string" ? value : JSON.stringify(value))}</dd>
          </div>,
        ];
      })}
    </dl>
  );
}
