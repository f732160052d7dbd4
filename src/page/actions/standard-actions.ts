import type { Action } from "./registration/action.ts";
import { clipboardWrite } from "./clipboard/clipboard-write.ts";
import type { ClipboardOptions } from "./clipboard/clipboard-write.ts";
import { beep } from "./effects/beep.ts";
import { bobdobbs, boing, celebrate } from "./effects/effects.ts";
import { fetchAction } from "./fetch/fetch-action.ts";
import type { FetchPolicy } from "./fetch/fetch-policy.ts";
import { gitCredential } from "./git-credential/git-credential.ts";

/** Options of each action; false leaves it out. */
export interface StandardActionsOptions {
  readonly fetch?: FetchPolicy | false;
  readonly clipboard?: ClipboardOptions | false;
  readonly gitCredential?: false;
  /** `celebrate`, `beep`, `bobdobbs` and `boing`. */
  readonly effects?: false;
}

/** The actions that a page with a terminal offers to its programs. */
export function standardActions(options: StandardActionsOptions = {}): readonly Action[] {
  const { fetch, clipboard, gitCredential: credentials, effects } = options;
  return [
    ...(fetch === false ? [] : [fetchAction(fetch)]),
    ...(clipboard === false ? [] : [clipboardWrite(clipboard)]),
    ...(credentials === false ? [] : [gitCredential()]),
    ...(effects === false ? [] : [celebrate(), beep(), bobdobbs(), boing()]),
  ];
}
