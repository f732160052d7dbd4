import type { Link } from "../../link/index.ts";
import { closeCodes, closeReason, encodeFrame, shortMessage } from "../../wire/index.ts";
import type { CloseName, ErrorCode, PagewireError } from "../../wire/index.ts";

/** Tells a peer why it may not go on, and closes its link. */
export function refuse(link: Link, { code, message }: PagewireError, command?: string): void {
  link.send(encodeFrame({ type: "refused", code, message: shortMessage(message), command }));
  link.close(closeReason(closeNameFor(code), code));
}

/** The same for peers that do not speak the wire: the close code and reason say it all. */
export function closeWith(link: Link, { code, message }: PagewireError): void {
  link.close(closeReason(closeNameFor(code), message));
}

function closeNameFor(code: ErrorCode): CloseName {
  return code in closeCodes ? (code as CloseName) : "internal-error";
}
