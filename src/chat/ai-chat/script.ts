// The element for a script tag, which loader.ts loads.
import { highlightNamed } from "../highlight/index.ts";
import { setHighlighter } from "../markdown/colour-code.ts";
import { defineAiChat } from "./ai-chat.ts";

setHighlighter(highlightNamed);
defineAiChat({ remote: { enableRemote: true, remoteCoreUrl: new URL("../ai-agent", import.meta.url).href } });
