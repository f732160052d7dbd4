import { messageOf } from "../../../wire/index.ts";
import type { Note } from "../../log.ts";

/**
 * Notes what the SDK says of a failure that nobody waits for, at what stage it was. What follows the first mark in its
 * message may be what a client or a page sent, and is no matter of a log's.
 */
export function noteFailures(note: Note, stage: "request" | "server" | "notification"): (error: unknown) => void {
  return (error) => {
    const [message = ""] = messageOf(error).split(/[:"'{[]/, 1);
    note("warn", "mcp-failed", { stage, message });
  };
}
