import { startWorker } from "pagewire/extension";
import { extensionApi } from "./common/extension-api.ts";

startWorker(extensionApi(), { WebSocket });
