/** An address of one's own that is sent every notification, signed. */
import {
	NOTIFICATION_CATEGORIES,
	type NotificationWebhook,
	type NotificationWebhookPatch,
	notificationWebhookRoutes,
} from "@weft/contracts";
import { WeftError } from "@weft/sdk";
import { Send, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { send, useAction, useAnswer } from "../../platform/call.ts";
import { duration } from "../../platform/format.ts";
import { problemOf } from "../../platform/problem.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { CheckField, PasswordField, TextField } from "../../ui/field.tsx";
import { Banner, Empty, Loaded, Panel, ProblemBanner } from "../../ui/page.tsx";
import { say } from "../../ui/toast.tsx";
import { CATEGORY_NAMES } from "./words.ts";

export function WebhookPanel() {
	const answer = useAnswer(notificationWebhookRoutes.detail);
	return (
		<Panel title="Webhook" padded>
			<Loaded answer={answer} lines={4}>
				{(webhook) =>
					webhook.available ? (
						<Webhook key={webhook.created_at} webhook={webhook} />
					) : (
						<Empty>Webhooks are switched off in the settings of this service.</Empty>
					)
				}
			</Loaded>
		</Panel>
	);
}

type Outcome = { readonly ok: boolean; readonly title: string; readonly detail: string };

/** An outcome in both cases. @throws for everything else */
async function test(): Promise<Outcome> {
	try {
		const { message, response_status, latency_ms } = await send(notificationWebhookRoutes.test);
		return { ok: true, title: message, detail: `Answer ${response_status} after ${duration(latency_ms)}.` };
	} catch (error) {
		const body = error instanceof WeftError && error.status === 400 ? (error.body as { message?: unknown }) : null;
		if (typeof body?.message !== "string") throw error;
		return { ok: false, title: body.message, detail: "" };
	}
}

function Webhook({ webhook }: { webhook: NotificationWebhook }) {
	const locked = !useMay()("change_notificationpreference");
	const [removing, setRemoving] = useState(false);
	const stale = ["notification_webhook"];
	const save = useAction((body: NotificationWebhookPatch) => send(notificationWebhookRoutes.update, { body }), {
		stale,
		onSuccess: () => say("The webhook is saved"),
	});
	const trial = useAction(test, { stale });
	const remove = useAction(() => send(notificationWebhookRoutes.remove), {
		stale,
		onSuccess: () => say("The webhook is removed"),
	});
	const there = webhook.created_at !== null;
	const fields = save.error === null ? {} : problemOf(save.error).fields;
	const failed = trial.error ?? (Object.keys(fields).length === 0 ? save.error : null);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const secret = String(form.get("secret") ?? "");
		save.mutate({
			url: String(form.get("url") ?? "").trim(),
			enabled: form.get("enabled") === "on",
			categories: NOTIFICATION_CATEGORIES.filter((category) => form.get(category) === "on"),
			...(secret === "" ? {} : { secret }),
		});
	};
	return (
		<form className="flex flex-col gap-3.5" onSubmit={submit}>
			<State webhook={webhook} />
			{failed !== null && <ProblemBanner error={failed} />}
			{trial.data && <Banner tone={trial.data.ok ? "ok" : "bad"} title={trial.data.title} detail={trial.data.detail} />}
			<TextField
				mono
				label="Address"
				name="url"
				type="url"
				required
				defaultValue={webhook.url}
				placeholder="https://hooks.example.net/weft"
				spellCheck={false}
				autoComplete="off"
				disabled={locked}
				error={fields.url}
			/>
			<PasswordField
				label="Secret"
				name="secret"
				required={!webhook.has_secret}
				autoComplete="off"
				hint={
					webhook.has_secret
						? "Leave empty to keep the stored secret. Another host, port or scheme needs it again."
						: "At least 16 characters; it signs what is sent and is never shown again."
				}
				disabled={locked}
				error={fields.secret}
			/>
			<fieldset className="m-0 flex flex-wrap gap-x-6 gap-y-2 border-0 p-0">
				<legend className="mb-1.5 p-0 font-medium">Sends</legend>
				{NOTIFICATION_CATEGORIES.map((category) => (
					<CheckField
						key={category}
						label={CATEGORY_NAMES[category]}
						name={category}
						defaultChecked={!there || webhook.categories.includes(category)}
						disabled={locked}
					/>
				))}
			</fieldset>
			<CheckField
				label="Enabled"
				name="enabled"
				hint="Off: nothing is sent but tests."
				defaultChecked={!there || webhook.enabled}
				disabled={locked}
			/>
			{!locked && (
				<div className="flex flex-wrap gap-2">
					<Button variant="primary" type="submit" busy={save.isPending}>
						Save
					</Button>
					{there && (
						<>
							<Button icon={Send} busy={trial.isPending} onClick={() => trial.mutate()}>
								Send a test
							</Button>
							<Button variant="danger" icon={Trash2} onClick={() => setRemoving(true)}>
								Remove
							</Button>
						</>
					)}
				</div>
			)}
			<Confirm
				open={removing}
				title="Remove the webhook?"
				verb="Remove the webhook"
				onConfirm={() => remove.mutateAsync()}
				onClose={() => setRemoving(false)}
			>
				<p className="m-0">Its address and secret are forgotten, and what was still to be sent is not.</p>
			</Confirm>
		</form>
	);
}

/** How its last attempts went. */
function State({
	webhook: { last_success_at, last_error, failing_since, held_until },
}: {
	webhook: NotificationWebhook;
}) {
	const times = useTimes();
	if (failing_since !== null) {
		return (
			<Banner
				tone="bad"
				title={`It has failed since ${times.dateTime(failing_since)}.`}
				detail={`${last_error}${held_until === null ? "" : ` The next attempt is ${times.relative(held_until)}.`}`}
			/>
		);
	}
	if (last_success_at === null) return null;
	return <p className="m-0 text-muted">Delivered last {times.relative(last_success_at)}.</p>;
}
