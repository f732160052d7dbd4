/** Someone who may come in. */
export interface Admitted {
  readonly principal: string;
  /** Stands for the credential; equal for equal credentials, and no secret. */
  readonly credential: string;
  /** When the credential ends, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** The app that a page's token was signed for. */
  readonly app?: string;
}
