/** Why a request is refused; each vendor has its own words and shape for it. */
export type RefusalKind =
  | "unknown"
  | "missing"
  | "type"
  | "value"
  | "json"
  | "not-found"
  | "method"
  | "credential"
  | "forbidden"
  | "too-large"
  | "rate"
  | "stopping"
  | "internal";

export class Refusal extends Error {
  readonly kind: RefusalKind;
  /** The field that is wrong, as in `messages[0].content`. */
  readonly path: string | undefined;
  /** A name for it of the vendor's own, where its API gives one. */
  readonly code: string | undefined;

  constructor(kind: RefusalKind, message: string, details: { readonly path?: string; readonly code?: string } = {}) {
    super(message);
    this.kind = kind;
    this.path = details.path;
    this.code = details.code;
  }
}

export const statusOfRefusal: Readonly<Record<RefusalKind, number>> = {
  unknown: 400,
  missing: 400,
  type: 400,
  value: 400,
  json: 400,
  "not-found": 404,
  method: 405,
  credential: 401,
  forbidden: 403,
  "too-large": 413,
  rate: 429,
  stopping: 503,
  internal: 500,
};
