import { extensionApi } from "../common/extension-api.ts";
import { openStore } from "../common/open-store.ts";
import { show } from "../common/show.ts";
import { Popup } from "./popup.tsx";

const tab = new URLSearchParams(location.search).get("tab");
show(<Popup store={openStore(extensionApi())} tabId={tab === null ? undefined : Number(tab)} />);
