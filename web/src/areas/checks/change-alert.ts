/** An alert on changes of a query: snapshots, check and schedule, made and undone as a whole. */
import type { Check, NotificationPreferences, Webhook } from "@weft/contracts";
import {
	checkRoutes,
	notificationRoutes,
	savedQueryRoutes,
	scheduleRoutes,
	webhookRoutes,
} from "@weft/contracts/browser";
import { callRoute } from "../../platform/call.ts";
import { STARTS } from "./config.ts";

/** Upper bound of the webhooks that are read. */
const WEBHOOKS = "200";
const INTERVAL_MINUTES = 15;
/** Category of the notifications of checks. */
const KIND = "scheduled_task";

export interface ChangeAlert {
	readonly check: Check;
	/** Whether the check existed before. */
	readonly wasThere: boolean;
	/** Whether the query's snapshots were off before. */
	readonly hasSwitchedSnapshotsOn: boolean;
	/** Id of the new schedule; null if none was needed or the user may make none. */
	readonly scheduleId: string | null;
	/** Recipients of alerts in words, such as `you in Weft`. */
	readonly receivers: readonly string[];
}

export interface ChangeAlertInput {
	readonly queryId: string;
	/** Connections of a new schedule. */
	readonly connectionIds: readonly string[];
	readonly email: string;
	readonly zone: string;
	readonly maySchedule: boolean;
	readonly userId: number;
}

/**
 * Makes the check, and a schedule where none runs the query.
 * @throws the error of a failed call, after the parts that were made are removed
 */
export async function createChangeAlert(input: ChangeAlertInput): Promise<ChangeAlert> {
	const { queryId, connectionIds, email, zone, maySchedule, userId } = input;
	const filter = { query: queryId, my_checks: "true", page_size: "200" } as const;
	const [query, { results }, receivers] = await Promise.all([
		callRoute(savedQueryRoutes.detail, { params: { id: queryId } }),
		callRoute(checkRoutes.list, { query: filter }),
		listReceivers(email),
	]);
	const known = results.find(({ type, is_active, created_by }) => {
		return type === "unchanged" && is_active && created_by.id === userId;
	});
	if (known !== undefined) {
		return { check: known, wasThere: true, hasSwitchedSnapshotsOn: false, scheduleId: null, receivers };
	}
	const hasSwitchedSnapshotsOn = !query.enable_time_machine;
	if (hasSwitchedSnapshotsOn) await switchSnapshots(queryId, true);
	let made: Check | null = null;
	try {
		made = await callRoute(checkRoutes.create, {
			body: {
				name: `Changes of ${query.name}`.slice(0, NAME_MAX),
				saved_query: queryId,
				type: "unchanged",
				config: STARTS.unchanged,
			},
		});
		const isScheduled = made.schedules.length > 0;
		const scheduleId = isScheduled || !maySchedule ? null : await createSchedule(made, connectionIds, zone);
		const check = scheduleId === null ? made : await callRoute(checkRoutes.detail, { params: { id: made.id } });
		return { check, wasThere: false, hasSwitchedSnapshotsOn, scheduleId, receivers };
	} catch (error) {
		if (made !== null) await callRoute(checkRoutes.remove, { params: { id: made.id } });
		if (hasSwitchedSnapshotsOn) await switchSnapshots(queryId, false);
		throw error;
	}
}

/** Names of checks and schedules, in characters. */
const NAME_MAX = 200;

async function createSchedule(
	check: Check,
	connectionIds: readonly string[],
	timezone: string,
): Promise<string | null> {
	if (connectionIds.length === 0) return null;
	const { id } = await callRoute(scheduleRoutes.create, {
		body: {
			name: check.name,
			saved_query: check.saved_query,
			controller_connection_ids: [...connectionIds],
			frequency: "minutes",
			interval_minutes: INTERVAL_MINUTES,
			timezone,
			email_on_failure: true,
		},
	});
	return id;
}

const switchSnapshots = (id: string, isOn: boolean) =>
	callRoute(savedQueryRoutes.update, { params: { id }, body: { enable_time_machine: isOn } });

/** Removes the parts that were made. */
export async function removeChangeAlert({ check, scheduleId, hasSwitchedSnapshotsOn }: ChangeAlert): Promise<void> {
	if (scheduleId !== null) await callRoute(scheduleRoutes.remove, { params: { id: scheduleId } });
	await callRoute(checkRoutes.remove, { params: { id: check.id } });
	if (hasSwitchedSnapshotsOn) await switchSnapshots(check.saved_query, false);
}

async function listReceivers(email: string): Promise<string[]> {
	const [preferences, webhooks] = await Promise.all([
		callRoute(notificationRoutes.preferences),
		callRoute(webhookRoutes.list, { query: { page_size: WEBHOOKS } }),
	]);
	return formatReceivers(preferences, webhooks.results, email);
}

/** Names the recipients of the user's alerts of checks. */
function formatReceivers(
	{ in_app_enabled, email_enabled, categories }: NotificationPreferences,
	webhooks: readonly Pick<Webhook, "name" | "enabled" | "available" | "categories">[],
	email: string,
): string[] {
	const { in_app, email: byMail } = categories[KIND];
	const open = webhooks.filter((each) => each.enabled && each.available && each.categories.includes(KIND));
	return [
		...(in_app_enabled && in_app ? ["you in Weft"] : []),
		...(email_enabled && byMail && email !== "" ? [`you by mail (${email})`] : []),
		...open.map(({ name }) => `the webhook "${name}"`),
	];
}

export const describeReceivers = (receivers: readonly string[]): string =>
	receivers.length === 0
		? "Its alerts have no recipients."
		: `Alerts go to ${new Intl.ListFormat("en").format(receivers)}.`;
