/** A model that a provider offers for conversations. */
export interface AiModel {
  /** The name in requests. */
  id: string;
  /** For people; the id where the provider has no other. */
  name: string;
  /** The max tokens of a prompt, where the provider says so. */
  context?: number;
}
