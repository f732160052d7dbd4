import { createApp } from "vue";
import "pagewire/ai-agent/auto/remoteEnv";
import Chat from "./Chat.vue";

createApp(Chat).mount("#root");
