import { useState } from "preact/hooks";
import { messageOf } from "pagewire/wire";
import { icons } from "../../../common/src/icons.ts";
import { Button, Dialog, toast } from "../../../common/src/ui/index.ts";
import { goTo, href } from "../frame/route.ts";
import type { Hub } from "../hub/hub.ts";
import { replayOf } from "./replay.ts";
import type { CallRecord } from "./steps.ts";
import { shown, textIn } from "./words.ts";

export interface CallAgainProps {
  readonly hub: Hub;
  readonly record: CallRecord;
}

/** Makes a recorded call again, as a new call. What may destroy something asks first. */
export function CallAgain({ hub, record }: CallAgainProps) {
  const [isAsking, setAsking] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const replay = replayOf(record, hub.tabs.value ?? []);
  if ("problem" in replay) {
    const { problem, tab } = replay;
    return (
      <>
        <p class="hint">{problem}</p>
        {tab && <Button onClick={() => goTo(href(["try", tab.tabId, textIn(record["name"])]))}>Fill them in</Button>}
      </>
    );
  }
  const { tab, name, warning, arguments: given } = replay;

  async function run(): Promise<void> {
    setAsking(false);
    setRunning(true);
    try {
      const { outcome, message } = await hub.call({ name, tab: tab.tabId, arguments: given });
      const isOk = outcome === "ok";
      toast({
        text: `${shown(name)}: ${outcome}${isOk ? "" : `. ${shown(message ?? "")}`}`,
        tone: isOk ? "ok" : "bad",
      });
    } catch (error) {
      toast({ text: messageOf(error), tone: "bad" });
    }
    setRunning(false);
  }

  return (
    <>
      <Button
        kind="strong"
        icon={icons.again}
        busy={isRunning}
        onClick={() => (warning === undefined ? void run() : setAsking(true))}
      >
        Call it again
      </Button>
      {isAsking && (
        <Dialog
          asks
          title={`Call ${shown(name)} again?`}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button onClick={() => setAsking(false)}>Do not call it</Button>
              <Button kind="danger" onClick={() => void run()}>
                Call it again
              </Button>
            </>
          }
        >
          <p>
            {warning} It runs once more, with the same arguments, in {shown(tab.title || tab.app)} ({tab.origin}).
          </p>
        </Dialog>
      )}
    </>
  );
}
