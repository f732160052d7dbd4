/** Every error code. `errorCodes` has their meanings, and is separate so that pages need not load it. */
export const errorNames = [
  "frame-malformed",
  "frame-too-large",
  "version-unsupported",
  "hello-expected",
  "hello-late",
  "sockets-too-many",
  "channels-too-many",
  "host-refused",
  "origin-not-allowed",
  "token-required",
  "token-invalid",
  "token-expired",
  "code-invalid",
  "scope-needed",
  "admin-needed",
  "identity-unavailable",
  "tab-replaced",
  "tab-disconnected",
  "too-slow",
  "heartbeat-missed",
  "going-away",
  "hub-unreachable",
  "hub-not-proven",
  "server-unreachable",
  "window-unreachable",
  "local-network-denied",
  "part-missing",
  "address-in-use",
  "address-refused",
  "options-invalid",
  "request-malformed",
  "route-not-found",
  "method-not-allowed",
  "body-too-large",
  "tool-not-found",
  "tool-ambiguous",
  "offer-not-found",
  "tab-not-found",
  "tab-gone",
  "tab-suspended",
  "not-delivered",
  "calls-too-many",
  "policy-denied",
  "policy-rate",
  "policy-unasked",
  "policy-declined",
  "arguments-malformed",
  "input-invalid",
  "output-invalid",
  "handler-failed",
  "result-unsendable",
  "result-too-large",
  "deadline-exceeded",
  "cancelled",
  "key-conflict",
  "key-expired",
  "outcome-unknown",
  "ask-unsupported",
  "ask-failed",
  "offers-too-many",
  "offers-too-large",
  "tabs-too-many",
  "schema-invalid",
  "schema-too-large",
  "name-invalid",
  "name-taken",
  "tool-refused",
  "pieces-lost",
  "action-refused",
  "action-unavailable",
  "browser-unknown",
  "browser-missing",
  "terminal-not-found",
  "terminals-too-many",
  "terminal-unavailable",
  "model-missing",
  "option-refused",
  "conversation-not-found",
  "conversation-full",
  "session-not-found",
  "windows-too-many",
  "requests-too-many",
  "quota-exceeded",
  "store-damaged",
  "not-saved",
  "bus-unavailable",
  "internal-error",
] as const;

export type ErrorCode = (typeof errorNames)[number];

/** Whether a value is one of the error codes. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return (errorNames as readonly unknown[]).includes(value);
}

/** Every error code and its meaning; docs/reference/errors.md is generated from this table. */
export const errorCodes: Readonly<Record<ErrorCode, string>> = {
  "frame-malformed": "A message on the wire could not be read as a frame, or a field of it has the wrong form.",
  "frame-too-large":
    "A frame is larger than the limit `frameBytes`, its header than `headerBytes`, or what comes before its sender is known than `strangerBytes`.",
  "version-unsupported": "The two sides speak no common version of the wire.",
  "hello-expected": "The first frame of a link must say who is there.",
  "hello-late": "A socket did not say who it is within the limit `strangerTime`.",
  "sockets-too-many":
    "Too many sockets wait to say who they are (limits `strangerSockets` and `strangerSocketsInAll`), or are open (`socketsPerPrincipal` and `socketsInAll`).",
  "channels-too-many": "A link carries more channels than the limit `channelsPerLink`.",
  "host-refused": "The Host of a request is not one that this hub answers to.",
  "origin-not-allowed": "The page's origin may not use this hub yet.",
  "token-required": "A credential is needed and none was given.",
  "token-invalid": "The credential is not valid here.",
  "token-expired": "The credential was valid and is not any more.",
  "code-invalid": "The code that signs in to the hub's own pages is not good, or not any more.",
  "scope-needed": "The token may not be used for this: its client must ask for more, by the named scopes.",
  "admin-needed": "This is for those who govern the organisation.",
  "identity-unavailable":
    "The identity provider that must say whether a token is good cannot be reached: the token may be good later.",
  "tab-replaced": "Another document took over this tab.",
  "tab-disconnected":
    "Its user disconnected the page from the hub: it stays away until it is loaded again, or let back.",
  "too-slow":
    "The peer does not read what it is sent (limits `queuedBytes`, `sharedBytes`, `queuedBytesPerPrincipal` and `queuedBytesInAll`).",
  "heartbeat-missed": "The peer gave no sign of life in time.",
  "going-away": "The hub is stopping.",
  "hub-unreachable": "No hub answers at this address.",
  "hub-not-proven":
    "What answers at this address did not prove that it is the hub of this token, and was sent nothing.",
  "server-unreachable": "No MCP server answers at this address, or it does not let this client in.",
  "window-unreachable": "The agent's window does not answer the page that opened it, or was cut off from it.",
  "local-network-denied": "The browser does not let this page reach the local network.",
  "part-missing": "Code that the page loads when it first needs it could not be loaded.",
  "address-in-use": "Another program listens on the hub's port, or another hub has its state directory.",
  "address-refused":
    "A hub listens on a loopback address, and takes credentials from one; elsewhere it needs jwt mode, and TLS of its own or of a proxy.",
  "options-invalid": "An option has the wrong form.",
  "request-malformed": "An HTTP request could not be read.",
  "route-not-found": "There is nothing at this path.",
  "method-not-allowed": "This path does not answer to this method.",
  "body-too-large":
    "The body of a request is larger than the limit `frameBytes`, or `headerBytes` where few words are expected.",
  "tool-not-found": "No open tab offers a tool of this name.",
  "tool-ambiguous": "Tools of several apps have this name.",
  "offer-not-found": "No open tab offers this resource or prompt.",
  "tab-not-found": "There is no tab with this id.",
  "tab-gone": "The tab closed before the call could be given to it.",
  "tab-suspended": "The browser has suspended the tab: it is frozen or in the back/forward cache.",
  "not-delivered": "The call did not reach the page.",
  "calls-too-many":
    "Too many calls are in flight (limits `callsPerTab`, `callsPerAgent`, `callsPerPrincipal`, `callBytesPerPrincipal` and `answersPerPrincipal`), or begin at once (`callRatePerPrincipal`).",
  "policy-denied": "A rule of the hub's policy denies the call.",
  "policy-rate": "A rule of the hub's policy has let in as many such calls as its rate allows.",
  "policy-unasked": "A rule of the hub's policy wants a person to allow the call, and nobody can be asked.",
  "policy-declined": "The person whom the hub's policy had asked did not allow the call.",
  "arguments-malformed": "The arguments are not a JSON object.",
  "input-invalid": "The arguments do not match the tool's input schema.",
  "output-invalid": "The handler's answer does not match the tool's output schema.",
  "handler-failed": "The tool's handler threw an error.",
  "result-unsendable": "The handler's answer holds something that JSON cannot.",
  "result-too-large": "The handler's answer is larger than the limit `frameBytes`.",
  "deadline-exceeded": "The call was not done in time.",
  cancelled: "The caller cancelled the call, or went away.",
  "key-conflict": "The idempotency key was used for another tool or other arguments.",
  "key-expired": "The idempotency key was used, and the outcome is no longer kept.",
  "outcome-unknown": "The page took the call and cannot be asked how it ended.",
  "ask-unsupported": "Neither the caller nor the page can ask the user.",
  "ask-failed": "The question could not be answered.",
  "offers-too-many":
    "A page offers more than the limit `offersPerPage`, or a principal's pages more than `offersPerPrincipal`.",
  "offers-too-large":
    "The pages of a principal offer more than the limit `offeredBytesPerPrincipal`, or all pages more than `offeredBytesInAll`.",
  "tabs-too-many": "A principal has more tabs than the limit `tabsPerPrincipal`.",
  "schema-invalid": "A schema is not a JSON Schema of type object.",
  "schema-too-large": "A schema is larger than the limit `schemaBytes`.",
  "name-invalid":
    "A name is not 1 to 128 letters, digits, dots, dashes or underscores, or is `__proto__` or `constructor`.",
  "name-taken": "The name belongs to a built-in tool.",
  "tool-refused": "The browser did not take a tool that it was to offer to its own agent.",
  "pieces-lost": "An action gave its answer in pieces, and some of them were lost on the way from the page.",
  "action-refused": "The page's rules, or the person in front of it, do not allow what an action was to do.",
  "action-unavailable": "The browser does not let the page do what an action was to do, or not now.",
  "browser-unknown": "The id names neither the caller's own terminal nor the tab that is attached to it.",
  "browser-missing": "No tab is attached to the terminal at the moment.",
  "terminal-not-found": "This principal has no terminal with this id.",
  "terminals-too-many": "A principal has more terminals than the limit `terminalsPerPrincipal`.",
  "terminal-unavailable": "The hub cannot start a shell: terminals are off, or something that they need is missing.",
  "model-missing": "The hub has no model.",
  "option-refused":
    "The server decides this for the model, or does not allow as much; a model's API takes no such file, or none as large; a history may be cut back, and not written; only the hub's owner changes its rules.",
  "conversation-not-found": "This principal has no conversation with this id.",
  "conversation-full": "A conversation, or a principal's share of them, has reached its limit.",
  "session-not-found": "This principal has no session with this id, of an agent's window or of somebody who signed in.",
  "windows-too-many": "A principal has more agent's windows open than the limit `windowsPerPrincipal`.",
  "requests-too-many":
    "A principal has more streams open than the limit `mcpStreamsPerPrincipal`, or searches for more calls at a time than it may; or one address brings too many tokens that an identity provider must be asked about.",
  "quota-exceeded": "The principal has used its tokens of the day.",
  "store-damaged": "The hub's stored data cannot be read: its database, or a part of it, is damaged.",
  "not-saved": "The hub cannot write down, or read, what it must at the moment: its disk is full or its database away.",
  "bus-unavailable": "This hub cannot reach another that may have what is asked for, such as the tab.",
  "internal-error": "Something failed that should not have.",
};

const brand = Symbol.for("pagewire.error");

export interface PagewireErrorOptions {
  readonly cause?: unknown;
  /** Milliseconds until a retry makes sense. */
  readonly retryAfter?: number;
}

/** The base of all errors of Pagewire. The code is stable; the message is for people. */
export class PagewireError extends Error {
  override readonly name = "PagewireError";
  declare readonly code: ErrorCode;
  declare readonly retryAfter: number | undefined;
  readonly [brand] = true;

  constructor(code: ErrorCode, message: string, options: PagewireErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.retryAfter = options.retryAfter;
  }

  /** Recognizes an error of any loaded copy of Pagewire: a page may have more than one. Never throws. */
  static isInstance(value: unknown): value is PagewireError {
    try {
      return brand in Object(value);
    } catch {
      // A proxy may throw on any access.
      return false;
    }
  }
}

/** The message of anything that was thrown, by our code or untrusted code. Never throws itself. */
export function messageOf(thrown: unknown): string {
  try {
    // An error of another realm, such as a frame's, is not an instance of this realm's Error.
    const { message, name } = Object(thrown) as { readonly message?: unknown; readonly name?: unknown };
    for (const text of [message, thrown instanceof Error ? name : thrown]) {
      if (typeof text === "string" && text !== "") return text;
    }
    return `A value that is not an error was thrown: ${String(thrown)}`;
  } catch {
    return `A value that is not an error was thrown: ${typeof thrown}`;
  }
}

/** Receives the errors of background work. */
export type OnError = (error: unknown, context: { readonly stage: string }) => void;
