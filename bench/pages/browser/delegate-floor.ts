import { createDelegateFloorSpeaker } from "../delegate-floor-speaker.ts";
import { openPage } from "./open-page.ts";

openPage(createDelegateFloorSpeaker);
