import { Button } from "../../../../common/src/ui/button.tsx";
import { icons } from "../icons.ts";

/** Puts a question to the assistant, for the user to send. */
export type Ask = (question: string) => void;

/** A button that asks the assistant about something on the page; `what` names it. The question is made when it is pressed. */
export function AskButton({ what, onAsk }: { readonly what: string; readonly onAsk: () => void }) {
  const label = `Ask the assistant about ${what}`;
  return <Button kind="quiet" small class="ask-about" icon={icons.ask} label={label} onClick={onAsk} />;
}
