// The hub's /actions.js: actions for pages that load no packages.
export { clipboardWrite } from "./clipboard/clipboard-write.ts";
export { beep } from "./effects/beep.ts";
export { bobdobbs, boing, celebrate } from "./effects/effects.ts";
export { forgetFetchConsents } from "./fetch/consents.ts";
export { fetchAction } from "./fetch/fetch-action.ts";
export { gitCredential } from "./git-credential/git-credential.ts";
export { offerActions } from "./registration/offer-actions.ts";
export { registerAction } from "./registration/register-action.ts";
export { standardActions } from "./standard-actions.ts";
