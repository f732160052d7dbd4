// Runs in a page that has tools.
import { startPage } from "pagewire/extension";
import { extensionApi } from "./common/extension-api.ts";

startPage(extensionApi().runtime);
