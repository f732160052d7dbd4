// The organisation of a team's hub: who one is there, and for its admins all that they govern.
import type { ComponentType } from "preact";
import { Tabs } from "../../../common/src/ui/index.ts";
import { goTo, href } from "../frame/route.ts";
import type { ViewProps } from "../frame/view.ts";
import { PolicyView, organisations } from "../rules/policy-view.tsx";
import { Audit } from "./audit.tsx";
import { Budgets } from "./budgets.tsx";
import { OwnKeys } from "./own-keys.tsx";
import { OrganisationModel } from "./model.tsx";
import { People } from "./people.tsx";
import { PinsOf } from "./pins-of.tsx";
import { Quotas } from "./quotas.tsx";
import { Services } from "./services.tsx";
import { OwnSignIns, Sessions } from "./sessions.tsx";

interface Place {
  readonly value: string;
  readonly label: string;
  readonly View: ComponentType<ViewProps>;
}

const you: Place = { value: "you", label: "You", View: You };

const ofAdmins: readonly Place[] = [
  { value: "people", label: "People", View: People },
  { value: "sessions", label: "Sign-ins", View: Sessions },
  { value: "services", label: "Service accounts", View: Services },
  { value: "policy", label: "Policy", View: Policy },
  { value: "quotas", label: "Quotas and budgets", View: Limits },
  { value: "pins", label: "Pinned tools", View: PinsOf },
  { value: "audit", label: "Audit", View: Audit },
  { value: "model", label: "Model", View: OrganisationModel },
];

export function Organisation(props: ViewProps) {
  const { me } = props.session.info;
  const places = me?.isAdmin === true ? [you, ...ofAdmins] : [you];
  const [, asked = you.value] = props.route.path;
  const { value, View } = places.find((place) => place.value === asked) ?? you;
  return (
    <Tabs
      label="Organisation"
      options={places}
      value={value}
      onValue={(chosen) => goTo(href(["organisation", chosen]), true)}
    >
      {places.length === 1 && ofAdmins.some((place) => place.value === asked) && (
        <p class="notice info" role="status">
          That is for those who govern your organisation. Your identity provider says who does: you may have to sign in
          again after a change there.
        </p>
      )}
      <View key={value} {...props} />
    </Tabs>
  );
}

function You({ session }: ViewProps) {
  return (
    <div class="rules">
      <OwnSignIns session={session} />
      <OwnKeys session={session} />
    </div>
  );
}

function Policy({ session }: ViewProps) {
  return <PolicyView session={session} place={organisations} />;
}

function Limits({ session }: ViewProps) {
  return (
    <div class="rules">
      <Quotas session={session} />
      <Budgets session={session} />
    </div>
  );
}
