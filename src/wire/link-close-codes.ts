/** Why a link ended. `code` is a WebSocket close code; 1006 means that the connection broke. */
export interface CloseReason {
  readonly code: number;
  readonly reason: string;
}

/** The close codes of all kinds of links: a part of `closeCodes`. */
export const linkCloseCodes = {
  normal: 1000,
  "frame-malformed": 4000,
  "frame-too-large": 4001,
  "channels-too-many": 4006,
  "too-slow": 4021,
  "heartbeat-missed": 4022,
  "internal-error": 4099,
} as const;

export function linkCloseReason(name: keyof typeof linkCloseCodes, detail: string = name): CloseReason {
  return { code: linkCloseCodes[name], reason: detail };
}

/** A link that ended without a close message. */
export const cutOff: CloseReason = { code: 1006, reason: "cut off" };
