/** A source that an answer names. */
export interface AiCitation {
  /** Of a page: http or https. */
  url?: string;
  title?: string;
  /** The source's own words. */
  quote?: string;
  /** The part of the answer's text that it supports, where the provider says so. */
  start?: number;
  end?: number;
}
