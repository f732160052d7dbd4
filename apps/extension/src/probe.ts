// Runs in each new page of an allowed site, before its scripts.
import { startProbe } from "pagewire/extension";
import { extensionApi } from "./common/extension-api.ts";

startProbe(extensionApi().runtime);
