/** Deliveries by mail and webhook with their status. */
import type { NotificationDelivery } from "@weft/contracts";
import { notificationWebhookRoutes } from "@weft/contracts/browser";
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { useTimes } from "../../platform/profile.ts";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { Pill, Status } from "../../ui/pill.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";

const SIZE = 20;
const CHANNELS: Readonly<Record<string, string>> = { email: "Mail", digest: "Daily mail", webhook: "Webhook" };

export function Deliveries() {
	const times = useTimes();
	const [page, setPage] = useState(1);
	const answer = useAnswer(
		notificationWebhookRoutes.deliveries,
		{ query: { page: String(page), page_size: String(SIZE) } },
		{ keepPrevious: true },
	);
	const columns: Column<NotificationDelivery>[] = [
		{ key: "title", head: "Notification", className: "w-1/3", cell: ({ title }) => title },
		{ key: "channel", head: "By", cell: ({ channel }) => CHANNELS[channel] ?? channel },
		{
			key: "state",
			head: "State",
			cell: ({ state }) =>
				state === "delivered" ? (
					<Pill tone="ok" icon={CircleCheck}>
						Delivered
					</Pill>
				) : (
					<Status status={state} />
				),
		},
		{
			key: "at",
			head: "When",
			cell: ({ created_at, finished_at }) => (
				<span className="whitespace-nowrap text-muted" title={times.dateTime(created_at)}>
					{times.relative(finished_at ?? created_at)}
				</span>
			),
		},
		{
			key: "error",
			head: "Reason",
			cell: ({ error, next_attempt_at }) => (
				<>
					{error}
					{next_attempt_at && <span className="block text-muted text-xs">again {times.relative(next_attempt_at)}</span>}
				</>
			),
		},
	];
	return (
		<Panel title="Sent in the last 30 days">
			<Loaded answer={answer} lines={3}>
				{({ results, count }) =>
					results.length === 0 ? (
						<Empty>No mail and no webhook was sent to you.</Empty>
					) : (
						<>
							<Table label="Sent" columns={columns} rows={results} getKey={({ id }) => id} />
							<Pager page={page} pageSize={SIZE} count={count} onPage={setPage} />
						</>
					)
				}
			</Loaded>
		</Panel>
	);
}
