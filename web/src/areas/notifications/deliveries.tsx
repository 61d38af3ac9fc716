/** Deliveries by mail and webhook with their status; those by webhook can be sent again. */
import type { NotificationDelivery } from "@weft/contracts";
import { deliveryRoutes, webhookRoutes } from "@weft/contracts/browser";
import { CircleCheck, RotateCcw } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { type AnswerLike, Empty, Loaded, Panel } from "../../ui/page.tsx";
import { Pill, Status } from "../../ui/pill.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { NotificationsFrame } from "./frame.tsx";
import { CATEGORY_NAMES } from "./words.ts";

const SIZE = 20;
const CHANNELS: Readonly<Record<string, string>> = { email: "Mail", digest: "Daily mail", webhook: "Webhook" };

const channelColumn: Column<NotificationDelivery> = {
	key: "channel",
	head: "By",
	cell: ({ channel }) => CHANNELS[channel] ?? channel,
};

function useColumns(isOfOneWebhook: boolean): Column<NotificationDelivery>[] {
	const times = useTimes();
	return [
		{ key: "title", head: "Notification", className: "w-1/3", cell: ({ title }) => title },
		{ key: "kind", head: "Kind", cell: ({ category }) => CATEGORY_NAMES[category] },
		...(isOfOneWebhook ? [] : [channelColumn]),
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
			key: "answer",
			head: "Answer",
			cell: ({ response_status, attempts }) => (
				<>
					{response_status === null ? <span className="text-muted">none</span> : `HTTP ${response_status}`}
					{attempts > 1 && <span className="block text-muted text-xs">{attempts} attempts</span>}
				</>
			),
		},
		{
			key: "error",
			head: "Reason",
			cell: ({ error, next_attempt_at }) => (
				<>
					{error}
					{next_attempt_at && (
						<span className="block text-muted text-xs" title={times.dateTime(next_attempt_at)}>
							next try {times.relative(next_attempt_at)}
						</span>
					)}
				</>
			),
		},
		{
			key: "verbs",
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: (row) => row.channel === "webhook" && <ResendButton delivery={row} />,
		},
	];
}

function ResendButton({ delivery: { id, title } }: { readonly delivery: NotificationDelivery }) {
	const may = useMay();
	const resend = useAction(() => callRoute(deliveryRoutes.resend, { params: { id } }), {
		stale: ["notification_webhooks", "notification_webhook"],
		onSuccess: () => showToast(`"${title}" is sent again`),
		onError: (error) => showProblem(error, title),
	});
	if (!may("change_notificationpreference")) return null;
	return (
		<Button
			variant="ghost"
			aria-label={`Send again: ${title}`}
			icon={RotateCcw}
			busy={resend.isPending}
			onClick={() => resend.mutate(undefined)}
		>
			Send again
		</Button>
	);
}

interface ListProps {
	readonly answer: AnswerLike<{ readonly results: readonly NotificationDelivery[]; readonly count: number }>;
	readonly isOfOneWebhook: boolean;
	readonly empty: string;
	readonly page: number;
	onPage(page: number): void;
}

function List({ answer, isOfOneWebhook, empty, page, onPage }: ListProps) {
	const columns = useColumns(isOfOneWebhook);
	return (
		<Loaded answer={answer} lines={3}>
			{({ results, count }) =>
				results.length === 0 ? (
					<Empty>{empty}</Empty>
				) : (
					<>
						<Table label="Sent" columns={columns} rows={results} getKey={({ id }) => id} />
						<Pager page={page} pageSize={SIZE} count={count} onPage={onPage} />
					</>
				)
			}
		</Loaded>
	);
}

export function DeliveriesPage() {
	const [page, setPage] = useState(1);
	const answer = useAnswer(
		deliveryRoutes.list,
		{ query: { page: String(page), page_size: String(SIZE) } },
		{ keepPrevious: true },
	);
	return (
		<NotificationsFrame title="Deliveries" facts="Mails and webhooks of the last 30 days">
			<Panel title="Sent to you">
				<List
					answer={answer}
					isOfOneWebhook={false}
					empty="No mail and no webhook was sent to you. Channels sets up both."
					page={page}
					onPage={setPage}
				/>
			</Panel>
		</NotificationsFrame>
	);
}

interface DialogProps {
	/** `host` is shown because the rest of an address is a secret. */
	readonly webhook: { readonly id: string; readonly name: string; readonly host: string };
	onClose(): void;
}

/** Interval in milliseconds: deliveries change without an action of the user. */
const REFETCH_MS = 5_000;

export function WebhookDeliveries({ webhook: { id, name, host }, onClose }: DialogProps) {
	const [page, setPage] = useState(1);
	const answer = useAnswer(
		webhookRoutes.deliveries,
		{ params: { id }, query: { page: String(page), page_size: String(SIZE) } },
		{ keepPrevious: true, every: REFETCH_MS },
	);
	return (
		<Dialog
			open
			wide
			title={`Deliveries of ${name}`}
			description={`POST requests to ${host} in the last 30 days, and what it answered.`}
			onClose={onClose}
		>
			<List answer={answer} isOfOneWebhook empty="Nothing was sent to it." page={page} onPage={setPage} />
		</Dialog>
	);
}
