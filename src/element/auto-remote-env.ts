// Imported for its effect: registers the elements, with remote cores at AI_REMOTE_CORE_URL.
import { bootstrapAi } from "./bootstrap-ai.ts";

bootstrapAi({ remote: { enableRemote: true, remoteSettingType: "env" } });
