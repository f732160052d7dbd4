// One thing to try: its arguments, its call, and what came of it.
import { isJsonObject, showInvisible } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import { useRef, useState } from "preact/hooks";
import { createSafeStorage } from "../../../common/src/safe-storage.ts";
import { Badge, Button, Code, Segments, Tabs, TextArea, Time } from "../../../common/src/ui/index.ts";
import type { Hub } from "../hub/hub.ts";
import { snippetsOf } from "./as-code.ts";
import type { WrittenCall } from "./as-code.ts";
import { Outcome } from "./outcome.tsx";
import { createRunner } from "./run.ts";
import { firstValue, hasSecret } from "./schema.ts";
import { parseJson } from "./controls.tsx";
import { SchemaForm } from "./schema-form.tsx";
import type { Target } from "./targets.ts";
import { createTriedCalls } from "./tried.ts";
import type { Tried } from "./tried.ts";
import { useVerdict, validate } from "./validate.ts";
import type { Verdict } from "./validate.ts";

export interface TrialProps {
  readonly hub: Hub;
  readonly target: Target;
  readonly principal: string;
}

const storage = createSafeStorage(() => localStorage);

export function Trial({ hub, target, principal }: TrialProps) {
  const { schema } = target;
  const [runner] = useState(() => createRunner(hub));
  const [tried] = useState(() => createTriedCalls(storage, principal));
  const [value, setValue] = useState<JsonObject>(() => startOf(schema));
  const [isAttempted, setAttempted] = useState(false);
  // A control with a state of its own begins again with another value.
  const [round, setRound] = useState(0);
  const [earlier, setEarlier] = useState(() => earlierOf(tried.list(), target));
  const verdict = useVerdict(schema, value);
  const call = target.callWith(value);
  const run = runner.run.value;
  const isRunning = run !== undefined && !run.outcome;

  // The button is busy only once the arguments were checked.
  const isStarting = useRef(false);
  async function startOnce(isForced: boolean): Promise<void> {
    if (isStarting.current) return;
    isStarting.current = true;
    await start(isForced).finally(() => (isStarting.current = false));
  }

  async function start(isForced: boolean): Promise<void> {
    setAttempted(true);
    const { problems } = await validate(schema, value);
    if (problems.size > 0 && !isForced) return;
    const { outcome } = await runner.start(call);
    if (hasSecret(schema)) return;
    const { method } = call;
    tried.add({ app: target.tab.app, method, name: target.name, arguments: value, outcome, at: Date.now() });
    setEarlier(earlierOf(tried.list(), target));
  }

  const use = (given: JsonObject) => {
    setValue(given);
    setRound(round + 1);
    setAttempted(false);
  };
  return (
    <div class="stack trial">
      <form
        class="box panel stack trial-form"
        aria-label="Arguments"
        onSubmit={(event) => {
          event.preventDefault();
          void startOnce(false);
        }}
      >
        <Arguments key={round} {...{ schema, value, verdict, isAttempted }} onValue={setValue} />
        <p class="row">
          <Button type="submit" kind={target.isDestructive ? "danger" : "strong"} busy={isRunning}>
            {target.isDestructive ? "Run the destructive tool" : target.verb}
          </Button>
          {isRunning && <Button onClick={runner.cancel}>Cancel</Button>}
          {isAttempted && verdict.problems.size > 0 && !isRunning && (
            <Button onClick={() => void startOnce(true)}>Run it as it is</Button>
          )}
        </p>
      </form>
      {run && <Outcome run={run} />}
      <SameCall call={call} />
      {earlier.length > 0 && (
        <Earlier
          earlier={earlier}
          onUse={use}
          onClear={() => {
            tried.clear();
            setEarlier([]);
          }}
        />
      )}
    </div>
  );
}

function startOf(schema: JsonObject): JsonObject {
  const first = firstValue(schema, schema);
  return isJsonObject(first) ? first : {};
}

function earlierOf(tried: readonly Tried[], { tab, method, name }: Target): readonly Tried[] {
  return tried.filter((each) => each.app === tab.app && each.method === method && each.name === name).slice(0, 8);
}

const modes = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
] as const;

interface ArgumentsProps {
  readonly schema: JsonObject;
  readonly value: JsonObject;
  readonly verdict: Verdict;
  readonly isAttempted: boolean;
  readonly onValue: (value: JsonObject) => void;
}

function Arguments({ schema, value, verdict, isAttempted, onValue }: ArgumentsProps) {
  const [mode, setMode] = useState<"form" | "json">("form");
  const { problems, missing, schemaProblem } = verdict;
  // A missing value is no mistake until its user wants to go on.
  const shown = new Map([...problems].filter(([pointer]) => isAttempted || !missing.has(pointer)));
  return (
    <>
      <div class="row trial-head">
        <h3>Arguments</h3>
        <Segments label="Write the arguments as" options={modes} value={mode} onValue={setMode} />
      </div>
      {schemaProblem !== undefined && (
        <p class="problem">
          Its schema cannot be checked here: {showInvisible(schemaProblem)}. The page checks it too.
        </p>
      )}
      {mode === "form" ? (
        <SchemaForm schema={schema} value={value} onValue={onValue} problems={shown} />
      ) : (
        <JsonArguments value={value} onValue={onValue} problems={problems} />
      )}
    </>
  );
}

interface JsonArgumentsProps extends Pick<ArgumentsProps, "value" | "onValue"> {
  readonly problems: ReadonlyMap<string, string>;
}

function JsonArguments({ value, onValue, problems }: JsonArgumentsProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const parsed = parseJson(text)?.value;
  const lines = [...problems].map(([pointer, message]) => `${pointer || "The arguments"} ${message}`);
  const isObject = isJsonObject(parsed);
  const change = (next: string) => {
    setText(next);
    const found = parseJson(next)?.value;
    if (isJsonObject(found)) onValue(found);
  };
  return (
    <TextArea
      label="Arguments as JSON"
      rows={8}
      spellcheck={false}
      value={text}
      onValue={change}
      error={isObject ? lines.join(". ") : "This is not a JSON object yet: what was last one is kept."}
    />
  );
}

function SameCall({ call }: { readonly call: WrittenCall }) {
  const snippets = snippetsOf(call, location.origin);
  const [title, setTitle] = useState(snippets[0]?.title ?? "");
  const chosen = snippets.find((each) => each.title === title) ?? snippets[0];
  if (!chosen) return null;
  return (
    <details class="box panel same-call">
      <summary>The same call elsewhere</summary>
      <Tabs
        label="The same call"
        options={snippets.map((each) => ({ value: each.title, label: each.title.split(",")[0] ?? "" }))}
        value={chosen.title}
        onValue={setTitle}
      >
        <Code label={chosen.title} language={chosen.language} text={chosen.text} wraps />
      </Tabs>
    </details>
  );
}

interface EarlierProps {
  readonly earlier: readonly Tried[];
  readonly onUse: (given: JsonObject) => void;
  readonly onClear: () => void;
}

function Earlier({ earlier, onUse, onClear }: EarlierProps) {
  return (
    <section class="box panel earlier" aria-labelledby="earlier-title">
      <div class="row trial-head">
        <h3 id="earlier-title">Tried before, in this browser</h3>
        <Button small kind="quiet" onClick={onClear}>
          Forget all
        </Button>
      </div>
      <ul>
        {earlier.map((each) => (
          <li key={each.at}>
            <code class="cut">{showInvisible(JSON.stringify(each.arguments).slice(0, 300))}</code>
            <Badge tone={each.outcome === "ok" ? "ok" : "bad"}>{each.outcome}</Badge>
            <Time at={each.at} />
            <Button small onClick={() => onUse(each.arguments)}>
              Use
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
