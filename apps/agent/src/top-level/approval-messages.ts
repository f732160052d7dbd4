// Messages between a framed window and the window of its question. Both are of this origin, but every message is still
// validated.
import type { ApprovalDecision, ApprovalRequest, TextPiece, ToolChange } from "pagewire/toolbox";
import { identifierPattern, isJsonObject } from "pagewire/wire";

/** A question for the window that shows it. */
export interface AskedApproval {
  /** An answer must repeat it. */
  readonly nonce: string;
  readonly request: ApprovalRequest;
}

/** The window that shows questions has been loaded. */
export const readyToAsk = { pagewire: "approval-ready" } as const;

export function isReadyToAsk(data: unknown): boolean {
  return isJsonObject(data) && data["pagewire"] === readyToAsk.pagewire;
}

export function askMessage(asked: AskedApproval): object {
  return { pagewire: "approval-asked", ...asked };
}

export function parseAsked(data: unknown): AskedApproval | undefined {
  if (!isJsonObject(data) || data["pagewire"] !== "approval-asked") return undefined;
  const { nonce, request } = data;
  if (typeof nonce !== "string" || !identifierPattern.test(nonce) || !isJsonObject(request)) return undefined;
  const { tool, title, description, destructive, origin, arguments: args, agent, reason, changed, once } = request;
  if (typeof tool !== "string" || typeof reason !== "string" || !isJsonObject(args)) return undefined;
  const name = isJsonObject(agent) ? agent["name"] : undefined;
  const change = parseChange(changed);
  return {
    nonce,
    request: {
      tool,
      reason,
      arguments: args,
      agent: { name: typeof name === "string" ? name : "The assistant" },
      ...(typeof title === "string" && { title }),
      ...(typeof description === "string" && { description }),
      ...(destructive === true && { destructive }),
      ...(typeof origin === "string" && { origin }),
      ...(change && { changed: change }),
      ...(once === true && { once }),
    },
  };
}

function parseChange(data: unknown): ToolChange | undefined {
  if (!isJsonObject(data)) return undefined;
  const [before, after] = [parsePieces(data["before"]), parsePieces(data["after"])];
  return before && after && { before, after };
}

function parsePieces(data: unknown): readonly TextPiece[] | undefined {
  if (!Array.isArray(data)) return undefined;
  return data.flatMap((piece: unknown) => {
    const { text, differs } = Object(piece) as { readonly text?: unknown; readonly differs?: unknown };
    return typeof text === "string" ? [{ text, ...(differs === true && { differs }) }] : [];
  });
}

export function decisionMessage(nonce: string, decision: ApprovalDecision): object {
  return { pagewire: "approval-decided", nonce, decision };
}

/** The decision in a message that answers the question with this nonce. */
export function parseDecision(data: unknown, nonce: string): ApprovalDecision | undefined {
  if (!isJsonObject(data) || data["pagewire"] !== "approval-decided" || data["nonce"] !== nonce) return undefined;
  const { decision } = data;
  if (!isJsonObject(decision)) return undefined;
  const { approved, scope } = decision;
  if (approved === true && (scope === "once" || scope === "session" || scope === "always")) return { approved, scope };
  if (approved === false && (scope === "once" || scope === "always")) return { approved, scope };
  return undefined;
}
