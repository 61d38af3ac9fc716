/** Whether a user may sign in at present, and exists where they sign in. */
import type { AdminUser } from "@weft/contracts";
import { Lock, UserX } from "lucide-react";
import { useTimes } from "../../../platform/profile.ts";
import { Pill } from "../../../ui/pill.tsx";

export function UserState({ user }: { user: AdminUser }) {
	return (
		<>
			<SignInState user={user} />
			{user.gone_since !== null && <GonePill user={user} since={user.gone_since} />}
		</>
	);
}

function SignInState({ user: { is_active, locked_until, gone_since } }: { user: AdminUser }) {
	const times = useTimes();
	if (!is_active) return <Pill tone="bad">Deactivated</Pill>;
	if (locked_until === null) return gone_since === null && <Pill tone="ok">Active</Pill>;
	return (
		<Pill tone="warn" icon={Lock} title={`Too many wrong passwords. Locked until ${times.dateTime(locked_until)}.`}>
			Locked until {times.time(locked_until)}
		</Pill>
	);
}

const REASONS: Partial<Record<AdminUser["auth_source"], string>> = {
	ldap: "The directory does not have this person.",
	oidc: "This person has not signed in at the identity provider for a long time.",
};

function GonePill({ user, since }: { user: AdminUser; since: string }) {
	const times = useTimes();
	const reason = REASONS[user.auth_source] ?? "";
	return (
		<Pill
			tone="warn"
			icon={UserX}
			title={`${reason} Sessions and API tokens were ended on ${times.dateTime(since)}.`.trim()}
		>
			Gone since {times.date(since)}
		</Pill>
	);
}
