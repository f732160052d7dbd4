// The one script tag: <script type="module" src="http://127.0.0.1:7337/ai-agent.js"></script>
import { bootstrapAi } from "./bootstrap-ai.ts";

bootstrapAi({ remote: { enableRemote: true, remoteCoreUrl: new URL("ai-agent", import.meta.url).href } });
