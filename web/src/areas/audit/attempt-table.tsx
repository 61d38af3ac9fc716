/** Attempts to sign in. */
import type { LoginAttempt } from "@weft/contracts";
import { useTimes } from "../../platform/profile.ts";
import { Pill } from "../../ui/pill.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { REASONS } from "./words.ts";

export function AttemptTable({ rows, withUser }: { rows: readonly LoginAttempt[]; withUser: boolean }) {
	const times = useTimes();
	const columns: Column<LoginAttempt>[] = [
		{
			key: "when",
			head: "When",
			cell: ({ attempted_at }) => (
				<span className="whitespace-nowrap" title={times.relative(attempted_at)}>
					{times.dateTime(attempted_at)}
				</span>
			),
		},
		...(withUser
			? [
					{
						key: "user",
						head: "Username",
						cell: ({ username }: LoginAttempt) => <span className="mono block max-w-52 truncate">{username}</span>,
					},
				]
			: []),
		{
			key: "result",
			head: "Result",
			cell: ({ success, failure_reason }) => (
				<Pill tone={success ? "ok" : "bad"}>
					{success ? "Signed in" : failure_reason === null ? "Failed" : REASONS[failure_reason]}
				</Pill>
			),
		},
		{ key: "ip", head: "Address", cell: ({ ip_address }) => <span className="mono">{ip_address ?? "unknown"}</span> },
		...(withUser
			? [
					{
						key: "agent",
						head: "Client",
						className: "w-1/3",
						cell: ({ user_agent }: LoginAttempt) => (
							<span className="block max-w-80 truncate text-muted" title={user_agent}>
								{user_agent || "-"}
							</span>
						),
					},
				]
			: []),
	];
	return <Table label="Attempts to sign in" columns={columns} rows={rows} getKey={({ id }) => id} />;
}
