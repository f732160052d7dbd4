/**
 * Whether it is one of OpenAI's reasoning models, even under a router's name for it: they refuse `max_tokens`, and only
 * they encrypt their thoughts.
 */
export function isReasoningModel(model: string): boolean {
  return /(^|\/)(ft:)?(o\d|gpt-[5-9](?!.*-chat))/.test(model);
}

/** The fields in which OpenAI-compatible servers send reasoning; OpenAI itself does not. */
export const thoughtFields = ["reasoning_content", "reasoning"] as const;
