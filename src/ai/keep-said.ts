import { assistantMessage } from "./messages.ts";
import type { Run } from "./run.ts";
import { toolMessage } from "./tool-message.ts";

/** Has a run that ends without an answer leave what was finished and said so far, unless the model had said nothing. */
export function keepSaid(run: Run): void {
  const { state, added, undo } = run;
  run.undo = () => {
    const { answer, open = [] } = run;
    const { content = "", reasoning = "" } = answer ?? {};
    const said = [...open.map(toolMessage), ...(content.trim() ? [assistantMessage({ content, reasoning })] : [])];
    const { messages } = state.values;
    const isKept = said.length > 0 || messages.filter(({ id = "" }) => added.has(id)).length > 1;
    return isKept ? { ...undo(), messages: [...messages, ...said] } : undo();
  };
}
