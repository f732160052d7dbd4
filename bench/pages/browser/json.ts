import { createJsonSpeaker } from "../json-speaker.ts";
import { openPage } from "./open-page.ts";

openPage(createJsonSpeaker);
