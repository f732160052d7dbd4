import { useState } from "preact/hooks";
import { Field, Segments, Select, Switch, Tabs, TextArea, TextField } from "../../../common/src/ui/index.ts";

const regions = ["Europe", "Asia", "Americas"].map((label) => ({ value: label.toLowerCase(), label }));
const periods = ["7", "30", "90"].map((value) => ({ value, label: `${value} days` }));
const views = ["Form", "JSON", "Command"].map((label) => ({ value: label, label }));

/** Fields of each kind, with and without a hint and an error. */
export function Forms() {
  const [text, setText] = useState("");
  const [count, setCount] = useState("0");
  const [region, setRegion] = useState("europe");
  const [isOn, turn] = useState(true);
  const [period, setPeriod] = useState("30");
  const [view, setView] = useState("Form");
  const error = Number(count) > 0 ? undefined : "This must be at least 1. Enter a larger number.";
  return (
    <>
      <TextField label="Name" hint="Up to 80 characters." placeholder="Ada Lovelace" value={text} onValue={setText} />
      <TextField label="Count" type="number" value={count} onValue={setCount} error={error} />
      <TextField label="Not now" disabled value="Cannot be changed" onValue={setText} />
      <Select label="Region" options={regions} value={region} onValue={setRegion} />
      <TextArea label="Note" value={text} onValue={setText} hint="The same text as the name." />
      <Field label="Day" hint="Any control can have a label, a hint and an error.">
        {(attributes) => <input type="date" {...attributes} />}
      </Field>
      <Switch label="Notify me" hint="When something waits for you." checked={isOn} onChange={turn} />
      <Switch label="Not now" disabled checked={false} onChange={turn} />
      <div>
        <Segments label="Period" options={periods} value={period} onValue={setPeriod} />
      </div>
      <Tabs label="How to call it" options={views} value={view} onValue={setView}>
        <p>{view} of the call.</p>
      </Tabs>
    </>
  );
}
