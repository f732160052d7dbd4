import { refused, visibleText } from "./credential-request.ts";

/** A code that a person enters at a page of a git host's. */
export interface DeviceCode {
  readonly text: string;
  readonly url: URL;
  /** Milliseconds for which it is good; undefined where the program does not say. */
  readonly time: number | undefined;
}

/** Longer ones nobody types. */
const longestCode = 64;

/** Reads the arguments of a call; a page that a person should not be sent to is refused. */
export function readDeviceCode(input: Record<string, unknown>): DeviceCode {
  const text = visibleText(input, "user_code")?.trim() ?? "";
  const address = visibleText(input, "verification_uri") ?? "";
  const { expires_in: seconds } = input;
  if (text === "" || text.length > longestCode)
    throw refused(`"user_code" must be a code of 1 to ${longestCode} characters.`);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw refused('"verification_uri" must be an https address, without a name before the host.');
  return { text, url, time: typeof seconds === "number" && seconds > 0 ? seconds * 1000 : undefined };
}
