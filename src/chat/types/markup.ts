// The attributes of <ai-chat> for JSX and templates.
import type { AiAgentMarkup } from "../../element/index.ts";

export interface AiChatMarkup extends AiAgentMarkup {
  greeting?: string | undefined;
  "model-choice"?: string | undefined;
  placeholder?: string | undefined;
  /** Questions to begin with: a list for the property, one to a line for the attribute. */
  starters?: readonly string[] | string | undefined;
}
