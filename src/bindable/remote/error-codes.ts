/** Every code that an error of a remote core may have, and what it means. Those of the protocol begin with WC_BINDABLE. */
export const remoteErrorCodes = {
  WC_BINDABLE_UNDECLARED_INPUT: "The core declares no such input.",
  WC_BINDABLE_UNDECLARED_COMMAND: "The core declares no such command.",
  WC_BINDABLE_RESERVED_NAME: "A declaration may not use this name.",
  WC_BINDABLE_DUPLICATE_ID: "A message repeats the id of one that is not answered yet.",
  WC_BINDABLE_INVALID_JSON_VALUE: "A value is not one that JSON carries unchanged, or it is too deep or too large.",
  WC_BINDABLE_INVALID_RETURN_VALUE:
    "What a command returned is not one that JSON carries unchanged, or it is too deep or too large.",
  WC_BINDABLE_TIMEOUT: "There was no answer in time.",
  WC_BINDABLE_ABORTED: "The caller gave up.",
  WC_BINDABLE_REMOTE_THROW: "The core threw.",
  WC_BINDABLE_PROTOCOL_ERROR: "The other side sent what the protocol does not have.",
  WC_BINDABLE_SET_ACK_UNSUPPORTED: "The server does not acknowledge assignments.",
  WC_BINDABLE_DISPOSED: "The proxy was disposed.",
  WC_BINDABLE_TERMINAL_FAILURE: "The connection is lost.",
  WC_BINDABLE_PRE_SYNC_QUEUE_FULL: "Too many calls wait for the first answer of the server.",
  WC_BINDABLE_INVALID_ACK_OPTIONS: "A call's options have the wrong form.",
  PAGEWIRE_TOO_MANY_CALLS: "Too many calls are unanswered.",
  PAGEWIRE_TOO_MANY_SESSIONS: "Too many sessions are open, or too many clients share one.",
  PAGEWIRE_SESSION_CLOSING: "The session is just being closed. Connect again.",
  PAGEWIRE_SESSION_UNKNOWN: "There is no such session for this principal.",
} as const;

export type RemoteErrorCode = keyof typeof remoteErrorCodes;
