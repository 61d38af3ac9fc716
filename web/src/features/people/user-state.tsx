/** Whether a user may sign in at present. */
import type { AdminUser } from "@weft/contracts";
import { Lock } from "lucide-react";
import { useTimes } from "../../platform/profile.ts";
import { Pill } from "../../ui/pill.tsx";

export function UserState({ user: { is_active, locked_until } }: { user: AdminUser }) {
	const times = useTimes();
	if (!is_active) return <Pill tone="bad">Deactivated</Pill>;
	if (locked_until === null) return <Pill tone="ok">Active</Pill>;
	return (
		<Pill tone="warn" icon={Lock} title={`Too many wrong passwords. Locked until ${times.dateTime(locked_until)}.`}>
			Locked until {times.time(locked_until)}
		</Pill>
	);
}
