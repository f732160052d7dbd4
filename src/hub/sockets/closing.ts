import type { Link } from "../../link/index.ts";
import { closeCodes, closeReason, encodeFrame, shortMessage } from "../../wire/index.ts";
import type { CloseName, ErrorCode, PagewireError } from "../../wire/index.ts";

/** Sends a peer the reason why it is refused, and closes its link. */
export function refuse(link: Link, { code, message }: PagewireError, command?: string): void {
  link.send(encodeFrame({ type: "refused", code, message: shortMessage(message), command }));
  link.close(closeReason(closeNameFor(code), code));
}

/** The same for peers that do not speak the wire protocol, with a close code and reason only. */
export function closeWith(link: Link, { code, message }: PagewireError): void {
  link.close(closeReason(closeNameFor(code), message));
}

function closeNameFor(code: ErrorCode): CloseName {
  if (code === "code-invalid" || code === "option-refused") return "token-invalid";
  return code in closeCodes ? (code as CloseName) : "internal-error";
}
