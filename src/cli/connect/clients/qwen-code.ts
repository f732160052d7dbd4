import { settingsClient } from "./settings-client.ts";

/** It began as a copy of Gemini CLI, and has its settings. */
export const qwenCode = settingsClient({
  id: "qwen-code",
  title: "Qwen Code",
  names: ["qwen"],
  command: "qwen",
  folder: ".qwen",
  restart: "Restart Qwen Code.",
});
