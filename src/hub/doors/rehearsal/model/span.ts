/** Where something stands in a sentence. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Found<Value> extends Span {
  readonly value: Value;
}

export function overlap(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}
