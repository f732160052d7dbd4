import { mount } from "svelte";
// First: it says where the model is.
import "pagewire/ai-agent/auto/remoteEnv";
import "pagewire/ai-chat";
import Chat from "./Chat.svelte";

const target = document.querySelector("#root");
if (target) mount(Chat, { target });
