import type { Action } from "./registration/action.ts";
import { clipboardWrite } from "./clipboard/clipboard-write.ts";
import type { ClipboardOptions } from "./clipboard/clipboard-write.ts";
import { beep } from "./effects/beep.ts";
import { bobdobbs, boing, celebrate } from "./effects/effects.ts";
import { fetchAction } from "./fetch/fetch-action.ts";
import type { FetchPolicy } from "./fetch/fetch-policy.ts";
import { gitCredential } from "./git-credential/git-credential.ts";

/** What is not as usual; false leaves something out. */
export interface StandardActionsOptions {
  readonly fetch?: FetchPolicy | false;
  readonly clipboard?: ClipboardOptions | false;
  readonly gitCredential?: false;
  /** `celebrate`, `beep`, `bobdobbs` and `boing`. */
  readonly effects?: false;
}

/** What a page that shows a terminal lets its programs do. */
export function standardActions(options: StandardActionsOptions = {}): readonly Action[] {
  const { fetch, clipboard, gitCredential: credentials, effects } = options;
  return [
    ...(fetch === false ? [] : [fetchAction(fetch)]),
    ...(clipboard === false ? [] : [clipboardWrite(clipboard)]),
    ...(credentials === false ? [] : [gitCredential()]),
    ...(effects === false ? [] : [celebrate(), beep(), bobdobbs(), boing()]),
  ];
}
