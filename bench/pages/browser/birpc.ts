import { createBirpcSpeaker } from "../birpc-speaker.ts";
import { openPage } from "./open-page.ts";

openPage(createBirpcSpeaker);
