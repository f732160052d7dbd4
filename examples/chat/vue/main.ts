import { createApp } from "vue";
// First: it says where the model is.
import "pagewire/ai-agent/auto/remoteEnv";
import "pagewire/ai-chat";
import Chat from "./Chat.vue";

createApp(Chat).mount("#root");
