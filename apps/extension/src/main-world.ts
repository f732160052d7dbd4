// Runs in the page's own world, before the page's scripts.
import { startMainWorld } from "pagewire/extension";

startMainWorld();
