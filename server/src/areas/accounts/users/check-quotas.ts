/** Quotas: resolves a user's limits, checks them, and reports the usage. */
import { QUOTA_RIGHTS, type Quota, type QuotaRight } from "@weft/contracts";
import { buildForbiddenError, buildTooManyError } from "../../../core/errors.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Db, Store, Tx } from "../../../core/ports/store.ts";
import type { CountedQuota, DailyQuota, QuotaHolder, Quotas } from "../../../core/quotas.ts";
import { getDay, NO_QUOTA, resolveQuota } from "./rules/quota.ts";
import { addQuotaUsage, findQuotaUsage, listUserQuotas, lockQuotaCount, purgeQuotaUsage } from "./sql/quotas.ts";

/** Counts a user's objects by kind. */
type Counts = Readonly<Record<CountedQuota, (db: Db, userId: number) => Promise<number>>>;

interface QuotaSources {
	readonly store: Pick<Store, "db" | "transaction">;
	readonly clock: Pick<Clock, "now">;
	readonly counts: Counts;
}

const WHAT: Readonly<Record<CountedQuota | DailyQuota, string>> = {
	queries_max: "saved queries",
	scheduled_tasks_max: "scheduled tasks",
	connections_max: "controller connections",
	automation_concurrent: "automation requests at a time",
	checks_max: "checks",
	connection_groups_max: "connection groups",
	calendar_entries_max: "calendar entries",
	categories_max: "categories",
	sockets_max: "live connections",
	webhooks_max: "webhooks",
	tokens_max: "API tokens",
	automation_connections_max: "automation servers",
	automation_templates_max: "automation templates",
	automation_references_max: "column templates, value lists and patterns",
	change_plans_max: "change plans",
	automation_requests_daily: "automation requests a day",
	executions_daily: "executions a day",
	ai_analysis_daily: "analyses a day",
};

/** What a user can do about a quota that is used up. */
function getRemedy(name: CountedQuota | DailyQuota): string {
	if (name.endsWith("_daily")) return "It begins anew at midnight UTC.";
	if (name === "automation_concurrent") return "Wait until one of your requests has ended.";
	if (name === "sockets_max") return "Close other tabs.";
	if (name === "tokens_max") return "Revoke one that you no longer need.";
	return "Delete what you no longer need.";
}

const buildUsedUpError = (name: CountedQuota | DailyQuota, limit: number): string =>
	`Your quota of ${WHAT[name]} (${limit}) is used up. ${getRemedy(name)} An administrator can raise it.`;

const isRight = (name: string): name is QuotaRight => (QUOTA_RIGHTS as readonly string[]).includes(name);
const isCounted = (name: CountedQuota | DailyQuota): name is CountedQuota => !name.endsWith("_daily");

export function createQuotaRules({ store, clock, counts }: QuotaSources) {
	async function findQuota(holder: QuotaHolder, db: Db): Promise<Quota> {
		return holder.isAdmin ? NO_QUOTA : resolveQuota(await listUserQuotas(db, holder.userId));
	}

	async function checkIn(tx: Tx, holder: QuotaHolder, name: CountedQuota | DailyQuota, times: number): Promise<void> {
		const limit = (await findQuota(holder, tx.db))[name];
		if (isCounted(name)) {
			if (limit === 0) return;
			await lockQuotaCount(tx, holder.userId, name);
			if ((await counts[name](tx.db, holder.userId)) + times <= limit) return;
			throw buildForbiddenError(buildUsedUpError(name, limit), { quota: name });
		}
		const { day, secondsLeft } = getDay(clock.now());
		if (await addQuotaUsage(tx, holder.userId, name, day, limit, times)) return;
		throw buildTooManyError(secondsLeft, buildUsedUpError(name, limit), { quota: name });
	}

	const rules: Quotas = {
		async check(holder, name, tx, times = 1) {
			if (isRight(name)) {
				if ((await findQuota(holder, tx?.db ?? store.db))[name]) return;
				throw buildForbiddenError("Your quota does not allow this.", { quota: name });
			}
			await (tx ? checkIn(tx, holder, name, times) : store.transaction((own) => checkIn(own, holder, name, times)));
		},

		async limit(holder, name, db = store.db) {
			return (await findQuota(holder, db))[name] || null;
		},
	};

	return {
		...rules,

		/** The user's quota and usage. */
		async usage(holder: QuotaHolder) {
			const { day } = getDay(clock.now());
			const count = (name: CountedQuota) => counts[name](store.db, holder.userId);
			const quota = await findQuota(holder, store.db);
			const used = await findQuotaUsage(store.db, holder.userId, day);
			return {
				quota,
				usage: {
					ai_analysis_today: used.get("ai_analysis_daily") ?? 0,
					executions_today: used.get("executions_daily") ?? 0,
					automation_requests_today: used.get("automation_requests_daily") ?? 0,
					queries_total: await count("queries_max"),
					scheduled_tasks_total: await count("scheduled_tasks_max"),
					connections_total: await count("connections_max"),
					automation_running: await count("automation_concurrent"),
					checks_total: await count("checks_max"),
					connection_groups_total: await count("connection_groups_max"),
					calendar_entries_total: await count("calendar_entries_max"),
					categories_total: await count("categories_max"),
					sockets_open: await count("sockets_max"),
					webhooks_total: await count("webhooks_max"),
					tokens_total: await count("tokens_max"),
					automation_connections_total: await count("automation_connections_max"),
					automation_templates_total: await count("automation_templates_max"),
					automation_references_total: await count("automation_references_max"),
					change_plans_total: await count("change_plans_max"),
				},
			};
		},

		/** Deletes the counters of past days. */
		async purge(): Promise<void> {
			await purgeQuotaUsage(store.db, getDay(clock.now() - 7 * 86_400_000).day);
		},
	};
}

export type QuotaRules = ReturnType<typeof createQuotaRules>;
