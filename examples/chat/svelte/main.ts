import { mount } from "svelte";
import "pagewire/ai-agent/auto/remoteEnv";
import Chat from "./Chat.svelte";

const target = document.querySelector("#root");
if (target) mount(Chat, { target });
