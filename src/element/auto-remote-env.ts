// Imported for its effect: the elements are there, their cores where AI_REMOTE_CORE_URL says.
import { bootstrapAi } from "./bootstrap-ai.ts";

bootstrapAi({ remote: { enableRemote: true, remoteSettingType: "env" } });
