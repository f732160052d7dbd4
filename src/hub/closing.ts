import type { Link } from "../link/index.ts";
import { closeCodes, closeReason, encodeFrame, shortMessage } from "../wire/index.ts";
import type { CloseName, PagewireError } from "../wire/index.ts";

/** Tells a peer why it may not go on, and closes its link. */
export function refuse(link: Link, { code, message }: PagewireError, command?: string): void {
  link.send(encodeFrame({ type: "refused", code, message: shortMessage(message), command }));
  link.close(closeReason(code in closeCodes ? (code as CloseName) : "internal-error", code));
}
