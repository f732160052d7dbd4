// The closed lists of words in frames.

/** The kinds of calls: a tool, a resource, a prompt, or the completion of an argument. */
export const callMethods = ["tools/call", "resources/read", "prompts/get", "completion/complete"] as const;
export type CallMethod = (typeof callMethods)[number];

/** The questions that a page can ask the caller. */
export const askMethods = ["elicitation/create", "sampling/createMessage", "roots/list"] as const;
export type AskMethod = (typeof askMethods)[number];

/** The id of the question whether a call may run. Ids of pages' other questions are numbers. */
export const allowQuestion = "pagewire/allow";

/** Why a tab is not running. */
export const suspensions = ["frozen", "back-forward-cache"] as const;
export type Suspension = (typeof suspensions)[number];

/** The severity of a log entry. */
export const logLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Versions of the wire that this code speaks, best first. */
export const wireVersions: readonly number[] = [1];

/** The best version that both sides speak, or undefined. */
export function chooseVersion(offered: readonly number[]): number | undefined {
  return wireVersions.find((version) => offered.includes(version));
}
