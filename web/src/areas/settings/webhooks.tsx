/** Where notifications are sent besides the app and mail: one's own webhooks, and shared ones. */
import { getRouteApi } from "@tanstack/react-router";
import type { NotificationCategory, Webhook, WebhookFormat } from "@weft/contracts";
import { NOTIFICATION_CATEGORIES, WEBHOOK_FORMATS, webhookRoutes } from "@weft/contracts/browser";
import { WeftError } from "@weft/sdk";
import { CircleCheck, CirclePause, CircleX, ListChecks, Send, Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatDuration } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { CheckField, PasswordField, SelectField, TextField } from "../../ui/field.tsx";
import { Banner } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { WebhookDeliveries } from "../notifications/deliveries.tsx";
import { NotificationsFrame } from "../notifications/frame.tsx";
import { MailChannel } from "../notifications/mail-channel.tsx";
import { CATEGORY_NAMES } from "../notifications/words.ts";
import type { FieldsProps, Resource } from "./resource.ts";
import { ResourcePage } from "./resource-page.tsx";

interface WebhookForm {
	readonly name: string;
	readonly format: WebhookFormat;
	readonly url: string;
	/** Empty: the stored one stays. */
	readonly secret: string;
	readonly categories: readonly NotificationCategory[];
	readonly enabled: boolean;
	readonly is_shared: boolean;
	readonly has_secret: boolean;
	/** Host of a stored address that is not shown; null: the address is in `url`. */
	readonly url_host: string | null;
}

const FORMAT_NAMES: Readonly<Record<WebhookFormat, string>> = {
	json: "JSON, signed",
	slack: "Slack",
	teams: "Microsoft Teams",
};

const buildWebhookBody = ({ secret, categories, has_secret: _, url_host: __, ...rest }: Partial<WebhookForm>) => ({
	...rest,
	...(categories === undefined ? {} : { categories: [...categories] }),
	...(secret ? { secret } : {}),
});

const webhooks: Resource<Webhook, WebhookForm> = {
	title: "Channels",
	noun: "webhook",
	icon: WebhookIcon,
	model: "notificationpreference",
	manage: "change_notificationpreference",
	isSearchable: false,
	about: "A webhook sends notifications to Slack, Microsoft Teams or a system of your own, as soon as they arise.",
	Frame: NotificationsFrame,
	before: <MailChannel />,
	stale: ["notification_webhooks", "notification_webhook"],
	route: webhookRoutes.list,
	columns: [
		{ key: "format", head: "Format", cell: ({ format }) => FORMAT_NAMES[format] ?? format },
		{
			key: "url",
			head: "Address",
			className: "w-1/3",
			cell: ({ url, url_host = url }) => (
				<span className="mono block truncate" title={url_host}>
					{url_host}
				</span>
			),
		},
		{ key: "state", head: "State", cell: (row) => <State webhook={row} /> },
		{
			key: "shared",
			head: "Access",
			cell: ({ is_shared }) => (is_shared ? <Pill tone="violet">Shared</Pill> : "Private"),
		},
	],
	secrets: ["secret"],
	paths: ["name", "format", "url", "secret", "categories"],
	useList: ({ page, page_size }) =>
		useAnswer(webhookRoutes.list, { query: { page, page_size } }, { keepPrevious: true }),
	begin: (row) => ({
		name: row?.name ?? "",
		format: row?.format ?? "json",
		url: row?.url ?? "",
		secret: "",
		categories: row?.categories ?? NOTIFICATION_CATEGORIES,
		enabled: row?.enabled ?? true,
		is_shared: row?.is_shared ?? false,
		has_secret: row?.has_secret ?? false,
		url_host: row?.url_host ?? null,
	}),
	create: (form) => {
		const { name, url, format, enabled, is_shared, categories, secret } = form;
		const body = { name, url, format, enabled, is_shared, categories: [...categories] };
		return callRoute(webhookRoutes.create, { body: secret === "" ? body : { ...body, secret } });
	},
	read: ({ id }) => callRoute(webhookRoutes.detail, { params: { id } }),
	update: ({ id }, change) => callRoute(webhookRoutes.update, { params: { id }, body: buildWebhookBody(change) }),
	remove: ({ id }) => callRoute(webhookRoutes.remove, { params: { id } }),
	Fields,
	Verbs: ({ row }) => (
		<>
			<DeliveriesButton webhook={row} />
			<TestButton webhook={row} />
		</>
	),
	loss: () => "Its address and secret are deleted. Notifications that wait for it are not sent.",
};

function State({ webhook }: { webhook: Webhook }) {
	const { available, enabled, failing_since, last_error, last_success_at } = webhook;
	const times = useTimes();
	if (!available) {
		return (
			<Pill tone="warn" icon={CirclePause} title="The service's configuration allows no webhooks.">
				Off for this service
			</Pill>
		);
	}
	if (!enabled) {
		return (
			<Pill tone="neutral" icon={CirclePause}>
				Off
			</Pill>
		);
	}
	if (failing_since !== null) {
		return (
			<Pill tone="bad" icon={CircleX} title={last_error}>
				Fails since {times.dateTime(failing_since)}
			</Pill>
		);
	}
	if (last_success_at === null) return <span className="text-muted">Not used yet</span>;
	return (
		<Pill tone="ok" icon={CircleCheck} title={times.dateTime(last_success_at)}>
			Delivered {times.relative(last_success_at)}
		</Pill>
	);
}

/** Whether the receiver accepts a test. @throws for everything but its refusal */
async function testWebhook(id: string): Promise<string> {
	try {
		const { response_status, latency_ms } = await callRoute(webhookRoutes.test, { params: { id } });
		return `Delivered: ${response_status} after ${formatDuration(latency_ms)}.`;
	} catch (error) {
		const body = error instanceof WeftError && error.status === 400 ? (error.body as { message?: unknown }) : null;
		if (typeof body?.message !== "string") throw error;
		return body.message;
	}
}

function DeliveriesButton({ webhook }: { webhook: Webhook }) {
	const [isOpen, setOpen] = useState(false);
	const { id, name, url, url_host = url } = webhook;
	return (
		<>
			<IconButton variant="ghost" label={`Deliveries of ${name}`} icon={ListChecks} onClick={() => setOpen(true)} />
			{isOpen && <WebhookDeliveries webhook={{ id, name, host: url_host }} onClose={() => setOpen(false)} />}
		</>
	);
}

function TestButton({ webhook: { id, name } }: { webhook: Webhook }) {
	const may = useMay();
	const trial = useAction(() => testWebhook(id), {
		stale: ["notification_webhooks"],
		onSuccess: (text) => showToast(`${name}: ${text}`),
		onError: (error) => showProblem(error, name),
	});
	if (!may("change_notificationpreference")) return null;
	return (
		<IconButton
			variant="ghost"
			label={`Send a test to ${name}`}
			icon={Send}
			busy={trial.isPending}
			onClick={() => trial.mutate(undefined)}
		/>
	);
}

function Fields({ form, getError, set }: FieldsProps<WebhookForm>) {
	const isAdmin = useMay()("admin");
	const { format, categories, has_secret, url_host } = form;
	const [isReplaced, setReplaced] = useState(false);
	return (
		<>
			<TextField
				label="Name"
				required
				maxLength={150}
				autoComplete="off"
				data-autofocus
				value={form.name}
				error={getError("name")}
				onChange={(event) => set({ name: event.target.value })}
			/>
			<SelectField
				label="Format"
				value={format}
				error={getError("format")}
				options={WEBHOOK_FORMATS.map((value) => ({ value, label: FORMAT_NAMES[value] }))}
				onChange={(event) => set({ format: event.target.value as WebhookFormat })}
			/>
			{url_host !== null && !isReplaced ? (
				<div className="flex items-end gap-2">
					<TextField mono readOnly label="Address" value={url_host} hint="The rest of the address is a secret." />
					<Button onClick={() => setReplaced(true)}>Replace</Button>
				</div>
			) : (
				<TextField
					mono
					label="Address"
					type="url"
					required
					maxLength={2000}
					placeholder="https://hooks.example.net/weft"
					spellCheck={false}
					autoComplete="off"
					value={form.url}
					error={getError("url")}
					onChange={(event) => set({ url: event.target.value.trim() })}
				/>
			)}
			<PasswordField
				label="Secret"
				required={format === "json" && !has_secret}
				autoComplete="off"
				hint={
					has_secret
						? "Leave blank to keep the current one. Another host, port or scheme needs it again."
						: format === "json"
							? "At least 16 characters. It signs what is sent and is never shown again."
							: "Not needed for this format."
				}
				value={form.secret}
				error={getError("secret")}
				onChange={(event) => set({ secret: event.target.value })}
			/>
			<fieldset className="m-0 flex min-w-0 flex-wrap gap-x-6 gap-y-2 border-0 p-0">
				<legend className="mb-1 p-0 font-medium">Kinds of notifications</legend>
				{NOTIFICATION_CATEGORIES.map((category) => (
					<CheckField
						key={category}
						label={CATEGORY_NAMES[category]}
						checked={categories.includes(category)}
						onChange={(event) =>
							set({
								categories: NOTIFICATION_CATEGORIES.filter((each) =>
									each === category ? event.target.checked : categories.includes(each),
								),
							})
						}
					/>
				))}
			</fieldset>
			{categories.length === 0 && <Banner tone="warn" title="Without a kind only tests are sent." />}
			<CheckField
				label="Enabled"
				hint="Off: only tests are sent."
				checked={form.enabled}
				onChange={(event) => set({ enabled: event.target.checked })}
			/>
			{isAdmin && (
				<CheckField
					label="Shared"
					hint="It belongs to the administrators and gets each event once for all users."
					checked={form.is_shared}
					onChange={(event) => set({ is_shared: event.target.checked })}
				/>
			)}
		</>
	);
}

const route = getRouteApi("/app/settings/notifications/channels");

export const ChannelsPage = () => (
	<ResourcePage resource={webhooks} search={route.useSearch()} navigate={route.useNavigate()} />
);
